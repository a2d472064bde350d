"""What touch links feel on ODE, however it is added up."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.ode import contacts as ode_contacts
from test.physics.ode.ode_lab import make_lab, needs_ode  # noqa: F401

pytestmark = needs_ode


def test_few_touch_links_feel_what_many_would_feel_to_the_bit(make_lab, monkeypatch):  # noqa: F811
    def felt(few: int) -> list[bytes]:
        monkeypatch.setattr(ode_contacts, "_FEW", few)
        lab = make_lab()
        # One is dropped, one steps on the other's foot with a heel and the ball lies at a foot.
        lab.nao(z=0.5)
        lab.nao(x=0.12, y=0.05, z=0.42)
        lab.engine.place_ball((0.15, 0.0, 0.05))
        control, told = lab.hold(), []
        for cycle in range(60):
            control.velocity[:] = np.sin(0.2 * cycle + np.arange(len(control.velocity)))
            lab.engine.step(control)
            state = lab.state
            told += [state.touching.tobytes(), state.touch_point.tobytes(), state.touch_force.tobytes()]
        assert state.touching.any()
        return told

    assert felt(few=4) == felt(few=0)
