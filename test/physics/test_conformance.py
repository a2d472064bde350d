"""Every engine that is installed keeps its promises, and the suite notices an engine that does not."""

import pytest

from simspark_conformance import CHECKS, Check, NotApplicableError, Subject
from simspark_ros.physics.presets import DEFAULT_PRESETS
from simspark_ros.physics.registry import create_engine, engine_names
from test.physics.engine_availability import skip_without


@pytest.mark.parametrize("check", CHECKS, ids=str)
@pytest.mark.parametrize(
    ("engine", "preset"),
    [
        *((engine, None) for engine in engine_names()),
        *((engine, "lola12") for engine in DEFAULT_PRESETS),
        ("bullet", "legacy"),
        ("ode", "fine"),
    ],
)
def test_engine_keeps_its_promise(engine, preset, check: Check):
    skip_without(engine)
    if check.spatial if engine == "planar" else check.planar:
        with pytest.raises(NotApplicableError, match="planar"):
            check.run(Subject.named(engine, preset))
    else:
        check.run(Subject.named(engine, preset))


def test_promises_have_names_and_words():
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    assert all(len(check.promise) > 20 for check in CHECKS)


def test_engine_without_a_name_is_not_tried_in_fresh_processes():
    check = next(check for check in CHECKS if check.name == "fresh_processes_give_same_bits")
    with pytest.raises(NotApplicableError, match="name"):
        check.run(Subject(lambda: create_engine("bullet")))
