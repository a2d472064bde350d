"""MuJoCo's contacts and constraint rows, read where they lie."""

from typing import Any

import mujoco
import numpy as np
import pytest

from simspark_ros.physics.errors import PhysicsError
from simspark_ros.physics.mujoco.step_memory import _ROWS, StepMemory, _layout

_FALLING = """<mujoco><worldbody><geom type="plane" size="9 9 1"/>
<body pos="0 0 1"><freejoint/><geom type="box" size=".3 .2 .1"/>
<body pos=".3 0 0"><joint name="a" range="-.2 .2" limited="true" frictionloss="1"/><geom size=".1"/></body></body>
<body pos=".1 0 2"><freejoint/><geom type="box" size=".2 .2 .2"/></body></worldbody></mujoco>"""


def test_contacts_and_rows_are_found_where_mujoco_has_put_them_in_every_step():
    model = mujoco.MjModel.from_xml_string(_FALLING)
    data: Any = mujoco.MjData(model)
    memory = StepMemory(data)
    words, numbers = np.asarray(memory.rows.words), np.asarray(memory.rows.numbers)
    indices, begin = np.asarray(memory.rows.indices), memory.rows.begin
    most = 0
    for _ in range(500):
        mujoco.mj_step(model, data)
        most = max(most, data.ncon)
        for name, view in memory.contacts.items():
            assert (view[: data.ncon] == getattr(data.contact, name)).all()
        for name in _ROWS:
            array = getattr(data, f"efc_{name}")
            at, whole = words[getattr(memory.rows, name)] - begin, numbers if array.dtype == np.float64 else indices
            assert (whole[at // array.itemsize :][: array.size] == array).all()
    assert most > 4


def test_a_mujoco_that_keeps_them_elsewhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of this module: tests that hide a library import it again.
    monkeypatch.setitem(_layout.__wrapped__.__globals__, "_MOST", 100)
    with pytest.raises(PhysicsError, match=r"MuJoCo \S+ has an unknown layout of memory; install the version"):
        _layout.__wrapped__()
