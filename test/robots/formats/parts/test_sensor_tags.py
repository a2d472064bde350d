"""Noise and rates of Gazebo's sensors, in URDF and SDF alike: perceptors have them, reports tell differences."""

from pathlib import Path
from typing import Any

import pytest

from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.simulation.registry import perceptor_types
from test.robots.formats.adaptation.makers import BOX, LIMIT, LIMITS, joint, link, robot, said, write

ENDINGS = (".urdf", ".sdf")

SDF = (
    "<sdf version='1.9'><model name='made'><link name='base'>{solid}</link><link name='arm'>{solid}{on_link}</link>"
    "<joint name='j' type='revolute'><parent>base</parent><child>arm</child><axis><limit><lower>-1</lower>"
    "<upper>1</upper><effort>3</effort></limit></axis>{on_joint}</joint></model></sdf>"
)
SOLID = "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"


def made(folder: Path, ending: str, kind: str, content: str) -> RobotDescription:
    """A robot whose arm, or whose joint for a sensor of its force, has a sensor `s`."""
    sensor = f'<sensor type="{kind}" name="s">{content}</sensor>'
    on_joint = kind == "force_torque"
    if ending == ".sdf":
        text = SDF.format(solid=SOLID, on_link="" if on_joint else sensor, on_joint=sensor if on_joint else "")
    else:
        gazebo = f'<gazebo reference="{"j" if on_joint else "arm"}">{sensor}</gazebo>'
        text = robot(link("base", BOX), link("arm", BOX), joint("j", "base", "arm", LIMIT), gazebo)
    return load_foreign(write(folder, text, f"made{ending}"), 0, LIMITS)


def parameters(read: RobotDescription, kind: str) -> dict[str, Any]:
    (found,) = (spec for spec in read.perceptors if spec.kind == kind)
    return dict(found.parameters)


def noise(deviation: float, more: str = "", kind: str = "gaussian") -> str:
    return f'<noise type="{kind}"><mean>0</mean><stddev>{deviation}</stddev>{more}</noise>'


def axes(tag: str, *deviations: float, more: str = "") -> str:
    return f"<{tag}>{''.join(f'<{a}>{noise(d, more)}</{a}>' for a, d in zip('xyz', deviations, strict=True))}</{tag}>"


def told(read: RobotDescription) -> list[str]:
    """Notes on what is not as in the file, but those of solids."""
    return [line for line in read.report.lines() if "sensor 's'" in line and " understood " not in line]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    ("kind", "content", "wanted"),
    [
        (
            "imu",
            f"<imu>{axes('angular_velocity', 0.05, 0.05, 0.05)}{axes('linear_acceleration', 0.2, 0.2, 0.2)}</imu>",
            {"gyroscope": {"noise": 0.05}, "accelerometer": {"noise": 0.2}},
        ),
        (
            "imu",
            "<imu><noise><type>gaussian</type><rate><stddev>0.1</stddev></rate><accel><stddev>0.3</stddev></accel></noise></imu>",
            {"gyroscope": {"noise": 0.1}, "accelerometer": {"noise": 0.3}},
        ),
        ("camera", f"<camera>{noise(0.02)}</camera>", {"camera": {"noise": 5.1}}),
        ("camera", f"<camera>{noise(0.02, kind='none')}</camera>", {"camera": {"noise": 0.0}}),
        ("depth_camera", f"<camera>{noise(0.02)}</camera>", {"camera": {"noise": 5.1, "depth": True}}),
        ("gpu_lidar", f"<lidar>{noise(0.01)}</lidar>", {"laser": {"noise": 0.01}}),
        ("ray", f"<ray>{noise(0.01)}</ray>", {"laser": {"noise": 0.01}}),
        ("magnetometer", axes("magnetometer", 1e-6, 1e-6, 1e-6), {"magnetometer": {"noise": 1e-6}}),
        (
            "force_torque",
            f"<force_torque>{axes('force', 0.5, 0.5, 0.5)}{axes('torque', 0.1, 0.1, 0.1)}</force_torque>",
            {"force_torque": {"force_noise": 0.5, "torque_noise": 0.1}},
        ),
    ],
)
def test_noise_of_each_kind_is_that_of_its_perceptors(
    tmp_path: Path, ending: str, kind: str, content: str, wanted: dict[str, dict[str, float]]
) -> None:
    read = made(tmp_path, ending, kind, f"<update_rate>25</update_rate>{content}")
    for perceptor, values in wanted.items():
        found = parameters(read, perceptor)
        assert {key: found[key] for key in values} == pytest.approx(values)
    assert not told(read)


@pytest.mark.parametrize("ending", ENDINGS)
def test_noise_that_differs_is_told(tmp_path: Path, ending: str) -> None:
    turning = axes("angular_velocity", 0.05, 0.05, 0.1)
    pushed = axes("linear_acceleration", 0.2, 0.2, 0.2, more="<bias_mean>0.3</bias_mean>")
    read = made(tmp_path, ending, "imu", f"<imu>{turning}{pushed}</imu>")
    assert (parameters(read, "gyroscope")["noise"], parameters(read, "accelerometer")["noise"]) == (0.1, 0.2)
    lines = told(read)
    what = "approximated noise of <angular_velocity> of sensor 's'"
    assert said(lines, what, "0.05, 0.05, 0.1 along x, y, z: 0.1 is used for all")
    assert said(lines, "dropped <bias_mean> 0.3 of the noise of sensor 's'", "noise has a <stddev> alone")
    read = made(tmp_path, ending, "sonar", f"<sonar><min>0</min><max>2</max>{noise(0.1)}</sonar>")
    assert said(told(read), "dropped noise of sensor 's'", "this type of sensor has no noise here")


RATED = {
    "imu": ("gyroscope", "accelerometer"),
    "magnetometer": ("magnetometer",),
    "gpu_lidar": ("laser",),
    "sonar": ("range",),
    "contact": ("touch",),
    "force_torque": ("force_torque",),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", RATED)
def test_rates_become_whole_cycles_and_others_are_told(tmp_path: Path, ending: str, kind: str) -> None:
    for rate, interval, note in (
        ("", 1, ""),
        (50, 1, ""),
        (10, 5, ""),
        (200, 1, "50 Hz (one message a cycle of 0.02 s)"),
        (20, 2, "25 Hz (one message every 2 cycles of 0.02 s)"),
    ):
        read = made(tmp_path, ending, kind, f"<update_rate>{rate}</update_rate>" if rate else "")
        for perceptor in RATED[kind]:
            assert parameters(read, perceptor)["interval"] == interval
        lines = [line for line in told(read) if "update_rate" in line]
        assert len(lines) == bool(note)
        assert not note or said(lines, f"approximated update_rate {rate} of sensor 's'", note)


@pytest.mark.parametrize("ending", ENDINGS)
def test_cameras_keep_their_rate_in_the_mean(tmp_path: Path, ending: str) -> None:
    for rate, given, note in (
        (25, 25.0, ""),
        (15, 15.0, "15 Hz in the mean (pictures come in whole cycles, after 0.06 or 0.08 s)"),
        (100, 50.0, "50 Hz (one picture a cycle of 0.02 s at most)"),
    ):
        read = made(tmp_path, ending, "camera", f"<update_rate>{rate}</update_rate><camera/>")
        assert parameters(read, "camera")["rate_hz"] == given
        lines = told(read)
        assert len(lines) == bool(note) and (not note or said(lines, f"update_rate {rate} of sensor 's'", note))
    read = made(tmp_path, ending, "camera", "<camera/>")
    assert parameters(read, "camera")["rate_hz"] == 10.0
    assert said(told(read), "approximated update_rate of sensor 's'", "the file gives none: 10 Hz is used")


@pytest.mark.parametrize("kind", [*RATED, "camera"])
def test_a_dropped_plugin_of_a_sensor_is_named_with_the_topic_that_the_simulator_has(tmp_path: Path, kind: str) -> None:
    plugin = '<plugin name="p" filename="libp.so"><ros><remapping>~/out:=mine</remapping></ros></plugin>'
    read = made(tmp_path, ".urdf", kind, plugin)
    (line,) = (line for line in told(read) if "dropped plugin 'p' (libp.so) of sensor 's'" in line)
    topics = line.partition("names its topics itself: ")[2].removesuffix(" below the robot's name").split(", ")
    wanted = {"imu": ["imu/arm/data"], "contact": ["touch/s", "wrench/arm"], "camera": ["s/image_raw"]}.get(kind)
    if wanted is None:
        (spec,) = (spec for spec in read.perceptors if spec.kind in RATED[kind])
        wanted = [one.name_of(spec) for one in perceptor_types()[spec.kind].topics_of(spec)]
    assert topics == wanted
