"""A robot starts in the home pose of the SRDF file that belongs to its URDF."""

from pathlib import Path

import pytest

from simspark_ros.robots.catalogue import load_robot
from test.robots.formats.adaptation.makers import LIMIT, joint, link, robot, write

ARM = robot(
    link("base"), link("upper"), link("lower"), joint("a", "base", "upper", LIMIT), joint("b", "upper", "lower")
)


def srdf(*states: str) -> str:
    return f'<robot name="made">{"".join(states)}</robot>'


def state(name: str, group: str = "arm", **joints: str) -> str:
    values = "".join(f'<joint name="{joint}" value="{value}"/>' for joint, value in joints.items())
    return f'<group_state name="{name}" group="{group}">{values}</group_state>'


def home(path: Path) -> dict[str, float]:
    made = load_robot(str(path))
    return dict(zip((one.name for one in made.model.joints), made.home, strict=False))


@pytest.mark.parametrize("name", ["made.srdf", "config/made.srdf", "made.srdf.xacro"])
def test_the_state_home_is_the_home_pose(tmp_path: Path, name: str) -> None:
    (tmp_path / "config").mkdir()
    write(tmp_path, srdf(state("ready", a="0.7"), state("home", a="0.5"), state("home", "hand", b="-4.0")), name)
    assert home(write(tmp_path, ARM)) == {"a": 0.5, "b": -4.0}


def test_a_moveit_package_beside_the_description_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "arm_description" / "urdf").mkdir(parents=True)
    (tmp_path / "made_moveit_config" / "config").mkdir(parents=True)
    write(tmp_path / "made_moveit_config" / "config", srdf(state("home", a="0.5")), "made.srdf")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    assert home(write(tmp_path / "arm_description" / "urdf", ARM, "arm.urdf")) == {"a": 0.5, "b": 0.0}


@pytest.mark.parametrize(
    ("states", "wanted"),
    [
        ((state("ready", a="0.7"), state("stand", a="0.2")), 0.2),
        ((state("ready", a="0.7"), state("up", a="0.2")), 0.7),
        # Beyond the stop of 1 rad, no number, several degrees of freedom, joints of others.
        ((state("home", a="1.5"),), 1.0),
        ((state("home", a="nan"),), None),
        ((state("home", a="0 0 0 1"),), None),
        ((state("home", other="0.5"),), None),
        ((), None),
    ],
)
def test_which_state_counts(tmp_path: Path, states: tuple[str, ...], wanted: float | None) -> None:
    write(tmp_path, srdf(*states), "made.srdf")
    assert home(write(tmp_path, ARM)).get("a") == wanted


@pytest.mark.parametrize("text", ["<robot", '<!DOCTYPE a [<!ENTITY b "c">]><robot/>'])
def test_a_broken_file_is_noted_and_refuses_no_robot(tmp_path: Path, text: str) -> None:
    write(tmp_path, text, "made.srdf")
    path = write(tmp_path, ARM)
    assert home(path) == {}
    assert any(line.startswith("made.srdf: dropped the group states") for line in load_robot(str(path)).report.lines())


def test_the_home_of_the_yaml_file_comes_first(tmp_path: Path) -> None:
    path = write(tmp_path, ARM)
    assert home(path) == {}
    # An edited state is read again.
    write(tmp_path, srdf(state("home", a="0.5")), "made.srdf")
    assert home(path)["a"] == 0.5
    assert home(write(tmp_path, "model: made.urdf\n", "plain.yaml")) == {"a": 0.5, "b": 0.0}
    assert home(write(tmp_path, "model: made.urdf\nhome: {b: 0.3}\n", "own.yaml")) == {"a": 0.0, "b": 0.3}
