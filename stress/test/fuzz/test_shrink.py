"""Cases that fail become as small as the fault allows."""

import math
import random
from pathlib import Path

import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_stress.fuzz.case import Case, Finding, read_finding, write_finding
from simspark_stress.fuzz.doors.agents import draw_agents
from simspark_stress.fuzz.shrink import shrunk


def has_step(cases, wanted):
    return any(wanted(case.door, step) for case in cases for step in case.steps)


def test_one_fatal_message_among_many_is_all_that_is_left():
    cases = [Case("agents", tuple(draw_agents(random.Random(number), False))) for number in range(40)]
    cases[17] = Case("agents", (*cases[17].steps, ["message", 3, "(init)((zz9 1))(syn)", [2, 9], 0.02], ["wait", 0.05]))
    tried = []

    def fails(some):
        tried.append(some)
        return has_step(some, lambda door, step: step[0] == "message" and "(zz9" in step[2])

    (case,) = shrunk(cases, fails)
    assert [step[:3] for step in case.steps] == [["message", 0, "(zz9"]]
    assert len(tried) < 200


def test_a_fault_that_needs_two_cases_keeps_both():
    cases = [Case("agents", (["raw", number, str(number)],)) for number in range(20)]

    def fails(some):
        return {"4", "13"} <= {step[2] for case in some for step in case.steps}

    assert [case.steps[0][2] for case in shrunk(cases, fails)] == ["4", "13"]


def test_values_of_requests_become_simple():
    steps = (["call", "spawn_entity", {"name": "a" * 500, "allow_renaming": True, "pose": {"x": 3.5, "y": -7}}],)

    def fails(some):
        return has_step(some, lambda door, step: "spawn" in step[1] and len(step[2].get("name", "")) > 240)

    (case,) = shrunk([Case("ros", steps)], fails)
    assert case.steps == (["call", "spawn", {"name": "a" * 241}],)


def test_a_finding_is_read_as_it_was_written(tmp_path: Path):
    case = Case("agents", (["message", 0, "\xff\0(\n\u0131", [1, 2], 0.5], ["reset", 0]))
    finding = Finding("good client: lost", ("--engine", "ode"), (case, case), quiet=True)
    write_finding(finding, tmp_path / "one.json")
    assert read_finding(tmp_path / "one.json") == finding


@pytest.mark.parametrize("text", ["", "{}", '{"cases": [1]}', '{"cases": [], "server": []}', "[]"])
def test_a_file_that_is_no_finding_is_named(text, tmp_path: Path):
    path = tmp_path / "wrong.json"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=r"wrong\.json"):
        read_finding(path)


@pytest.mark.parametrize("number", [math.nan, math.inf, -1e308])
def test_numbers_that_are_not_finite_become_simple(number):
    def fails(some):
        return has_step(some, lambda door, step: step[1:] and isinstance(step[1], float | int))

    (case,) = shrunk([Case("lola", (["packed", number],))], fails)
    assert case.steps == (["packed", 0],)
