"""`simspark robot`: what a maker's file says, a picture of it, and the robot as URDF for other programs."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from simspark_ros.cli import main
from simspark_ros.configuration.league_models import MODELS_VARIABLE
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.resources import resource
from simspark_ros.robots.files.foreign import load_foreign
from test.commands.conftest import Refused
from test.robots.formats.adaptation.makers import LIMIT, joint, link, mesh, robot, write, write_mesh

LIMITS = LimitSettings(robot_file_time=60.0)
ROVER = resource("config", "skeletons", "robot") / "rover.yaml"
PATIENT = ("--robot-file-time", "60")
"""A busy machine takes its time."""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    write_mesh(tmp_path / "ball.stl")
    parts = (mesh("ball.stl") + mesh("ball.stl", "visual"), mesh("ball.stl", scale="1 1 3"))
    return write(tmp_path, robot(link("base", parts[0]), link("arm", parts[1]), joint("j", "base", "arm", LIMIT)))


def test_inspect_tells_parts_and_report_and_draws(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = arm.with_name("arm.png")
    assert main(["robot", "inspect", str(arm), "--picture", str(picture), *PATIENT]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "made: 2 kg, 2 links, 1 joints; it stands with the frame base 0.3 m above the ground"
    words = [line.split() for line in lines]
    assert ["base", "1", "1", "hull"] in words
    assert ["j", "revolute", "-1", "1", "2", "3"] in words
    assert "  hinge 'j' on j" in lines
    assert "report: 3 understood, 2 approximated, 0 dropped" in lines
    assert "made.urdf:4: understood joint 'j': revolute" in lines
    with Image.open(picture) as image:
        pixels = np.asarray(image)
    # A grey ball in the middle of a green field.
    assert np.ptp(pixels[240, 320].astype(int)) < 20
    assert pixels[10, 10, 1] > pixels[10, 10, 0] + 20


@pytest.mark.parametrize(("robot", "height"), [(str(ROVER), "base_link 0.08"), ("nao", "base_link 0.27")])
def test_the_base_is_as_high_as_its_frame_in_tf_not_as_its_centre_of_mass(
    robot: str, height: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["robot", "inspect", robot, *PATIENT]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith(f"it stands with the frame {height} m above the ground")


def test_sensors_have_topic_frame_and_rate_and_wheels_their_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["robot", "inspect", str(ROVER), *PATIENT]) == 0
    lines = capsys.readouterr().out.splitlines()
    told = (
        "  time 'time': no topic",
        "  gyroscope 'base' on base_link: imu/data_raw, imu/data; frame base_link; 50 Hz",
        "  laser 'laser' on head: scan; frame head; 50 Hz",
        "  camera 'camera' on head: camera/image_raw, camera/camera_info; frame head_optical (not in TF); 10 Hz",
        "  hinge 'he' on head_joint",
        "  wheels 'wheels': cmd_vel, odom; left left_wheel_joint; right right_wheel_joint; radius 0.08 m; track 0.3 m",
    )
    assert [line for line in told if line not in lines] == []
    assert main(["robot", "inspect", "nao_sensors", *PATIENT]) == 0
    folders = "vision_2d/..., vision_3d/..., model/...; frames camera_optical, torso, map; 10 Hz"
    assert f"  detections 'detections' on torso: {folders}" in capsys.readouterr().out.splitlines()


def test_rows_of_wheels_that_skid_are_told_with_the_remedy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shipped = resource("config", "robots") / "pioneer_2at.yaml"
    urdf = f"model: {resource('urdf') / 'pioneer_2at.urdf.xacro'}\n"
    text = re.sub(r"model: .*\n", urdf, shipped.read_text(encoding="utf-8"), count=1)
    file = tmp_path / "skid.yaml"
    file.write_text(text.replace("track: 0.545", "track: 0.39"), encoding="utf-8")
    for named, count in ((str(file), 1), ("pioneer_2at", 0)):
        assert main(["robot", "inspect", named, *PATIENT]) == 0
        assert capsys.readouterr().out.count("set track of the effector wheels to the effective 0.577 m") == count


def test_an_export_is_the_same_robot_again(arm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out" / "arm.urdf"
    out.parent.mkdir()
    assert main(["robot", "export", str(arm), "-o", str(out), *PATIENT]) == 0
    written = capsys.readouterr().out.splitlines()
    # The two links' hulls, and the surface of the first one.
    assert len(written) == 4
    before, after = load_foreign(arm, 0, LIMITS).model, load_foreign(out, 0, LIMITS).model
    assert after.joints == before.joints
    for one, other in zip(before.links, after.links, strict=True):
        assert (other.name, other.mass, other.inertia) == (one.name, one.mass, one.inertia)
        assert other.surfaces == one.surfaces
        for old, new in zip(one.collisions, other.collisions, strict=True):
            # Files of meshes hold single-precision numbers when they are read.
            assert np.allclose(sorted(old.vertices), sorted(new.vertices), atol=1e-6)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("no_such_robot", "there is no robot 'no_such_robot'"),
        ("missing.urdf", "there is no file 'missing.urdf'"),
        ("cli.py", "'cli.py': robots are loaded from .yaml, .urdf, .xacro, .sdf, .world, .xml, .rsg files only"),
        ("missing.urdf?fixed_base=yes", "fixed_base='yes' must be true or false"),
    ],
)
def test_what_is_no_robot_is_refused(name: str, problem: str, refused: Refused) -> None:
    assert problem in refused("robot", "inspect", name)


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        ("kind: wheels", "kind: wheel", "effector wheel: there is no such kind; "),
        ("kind: gyroscope", "kind: gyroskope", "unknown perceptor 'gyroskope'; "),
        ("track: 0.3", "track: 0.3, tyre: 3", "effector wheels: unknown key 'tyre'; "),
        ("track: 0.3", "track: -2", "effector wheels: track must be at least 0.001 and at most 100, not -2.0"),
        ("radius: 0.08, ", "", "effector wheels: key 'radius' is missing"),
        ("left: [left_wheel_joint]", "left: [left_joint]", "effector wheels: unknown joint 'left_joint'; "),
        ("link: head}\n  - {kind: camera", "parameters: {beems: 360}, link: head}\n  - {kind: camera", "key 'beems'; "),
    ],
)
def test_what_a_spawn_would_refuse_is_refused_with_its_file(
    right: str, wrong: str, problem: str, tmp_path: Path, refused: Refused
) -> None:
    file = tmp_path / "rover.yaml"
    shutil.copy(ROVER.with_suffix(".urdf"), tmp_path)
    text = ROVER.read_text(encoding="utf-8")
    assert right in text
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    told = refused("robot", "inspect", file, *PATIENT)
    assert f"{file}: " in told
    assert problem in told


def test_robots_are_named_as_for_serve(
    arm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a name with a type, a file with parameters, or the name of a robot of the league."""
    model = tmp_path / "models" / "T0" / "robot.xml"
    model.parent.mkdir(parents=True)
    model.write_text('<mujoco model="T0"><worldbody><body name="a"><geom size="0.1"/></body></worldbody></mujoco>')
    monkeypatch.setenv(MODELS_VARIABLE, str(model.parents[1]))

    def inspected(*arguments: str) -> str:
        assert main(["robot", "inspect", *arguments]) == 0
        return capsys.readouterr().out.splitlines()[0]

    assert "it is bolted to the world" in inspected(f"{arm}?fixed_base=true", *PATIENT)
    assert inspected("nao/4") == inspected("nao", "--type", "4") != inspected("nao")
    pytest.importorskip("mujoco")
    assert inspected("T0", *PATIENT).startswith("T0: 4.189 kg, ")
