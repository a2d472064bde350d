"""Messages of Gazebo's sensors name the frame that the file names, where this frame is; else the report has a line."""

from pathlib import Path

import pytest

from simspark_ros.perceptors.camera import OPTICAL
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import product
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.files.foreign import load_foreign
from test.robots.formats.adaptation.makers import BOX, LIMIT, LIMITS, joint, link, robot, said, write

ENDINGS = (".urdf", ".sdf")

TURNED = "-1.5707963 0 -1.5707963"
"""Roll, pitch, yaw of a picture's axes."""

FRAMES = {
    "cam_optical": ("arm", f"0.1 0 0.2 {TURNED}"),
    "lens": ("arm", f"0.1 0.015 0.2 {TURNED}"),
    "right_optical": ("arm", f"0.1 0.07 0.2 {TURNED}"),
    "cam_link": ("arm", "0.1 0 0.2 0 0 0"),
    "base_optical": ("base", f"0.1 0 0.2 {TURNED}"),
}
"""Links without mass on fixed joints: the link that carries each, and its pose there."""

POSE = "<pose>0.1 0 0.2 0 0 0</pose>"


def made(folder: Path, ending: str, kind: str, *contents: str) -> RobotDescription:
    """A robot with sensors `s0`, `s1`, ... of a kind on its arm, at `cam_link`."""
    sensors = [f'<sensor type="{kind}" name="s{n}">{POSE}{one}</sensor>' for n, one in enumerate(contents)]
    if ending == ".urdf":
        parts = [link("base", BOX), link("arm", BOX), joint("j", "base", "arm", LIMIT)]
        for name, (carrier, pose) in FRAMES.items():
            x, y, z, *angles = pose.split()
            origin = f'<origin xyz="{x} {y} {z}" rpy="{" ".join(angles)}"/>'
            parts += [link(name, mass=0.0), joint(f"{name}_joint", carrier, name, origin, kind="fixed")]
        parts += [f'<gazebo reference="arm">{sensor}</gazebo>' for sensor in sensors]
        return load_foreign(write(folder, robot(*parts)), 0, LIMITS)
    solid = "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"
    content = "".join(f"<frame name='{n}' attached_to='{on}'><pose>{p}</pose></frame>" for n, (on, p) in FRAMES.items())
    ends = "<parent>base</parent><child>arm</child><axis><limit><effort>3</effort></limit></axis>"
    links = f"<link name='base'>{solid}</link><link name='arm'>{solid}{''.join(sensors)}</link>"
    model = f"<model name='m'>{links}{content}<joint name='j' type='revolute'>{ends}</joint></model>"
    return load_foreign(write(folder, f"<sdf version='1.9'>{model}</sdf>", "made.sdf"), 0, LIMITS)


def frames(read: RobotDescription, kind: str) -> list[str]:
    """Frames that messages of the sensors name."""
    found = [spec for spec in read.perceptors if spec.kind == kind]
    return [spec.parameters["optical_frame"] if kind == "camera" else spec.link for spec in found]


def told(read: RobotDescription) -> list[str]:
    return [line for line in read.report.lines() if " approximated <" in line]


CAMERA_TAGS = (
    "<camera><optical_frame_id>{}</optical_frame_id></camera><gz_frame_id>cam_link</gz_frame_id>",
    "<gz_frame_id>{}</gz_frame_id><camera/>",
    "<ignition_frame_id>m/{}</ignition_frame_id><camera/>",
    "<camera/><plugin name='p' filename='libgazebo_ros_camera.so'><frame_name>{}</frame_name></plugin>",
    "<camera/><plugin name='p' filename='libgazebo_ros_camera.so'><frameName>/{}</frameName></plugin>",
)


@pytest.mark.parametrize("ending", ENDINGS)
def test_pictures_name_the_optical_frame_of_the_file(tmp_path: Path, ending: str) -> None:
    read = made(tmp_path, ending, "camera", *(tag.format("cam_optical") for tag in CAMERA_TAGS))
    assert set(frames(read, "camera")) == {"cam_optical"} and not told(read)
    # One frame is enough for all sensors.
    assert [one.name for one in read.model.frames].count("cam_optical") == 1


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    ("name", "taken", "note"),
    [
        ("lens", True, "pictures are taken at this frame, 0.015 m from the sensor's pose"),
        ("right_optical", False, "this frame has not x right, y down, z forward at the camera"),
        ("cam_link", False, "this frame has not x right, y down, z forward at the camera"),
        ("base_optical", False, "this frame has not x right, y down, z forward at the camera"),
        ("nowhere", True, "no link has this name: it becomes a frame where the sensor is"),
        ("x" * 200, False, "this is no name of a frame"),
    ],
)
def test_frames_elsewhere_are_told(tmp_path: Path, ending: str, name: str, taken: bool, note: str) -> None:
    read = made(tmp_path, ending, "camera", f"<gz_frame_id>{name}</gz_frame_id><camera/>")
    (found,) = frames(read, "camera")
    assert (found == name) is taken
    assert said(told(read), f"<gz_frame_id> {name[:80]} of sensor 's0'", note)
    # The camera looks as the file says, whatever its frame is called.
    places = link_frames(read.model)
    assert product(places["arm"].rotation.T, places[found].rotation) == pytest.approx(OPTICAL, abs=1e-6)
    assert places[found].position - places["arm"].position == pytest.approx([0.1, 0.015 * (name == "lens"), 0.2])


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(("kind", "perceptor"), [("imu", "gyroscope"), ("gpu_lidar", "laser"), ("sonar", "range")])
def test_other_sensors_are_in_the_frame_that_the_file_names(tmp_path, ending, kind, perceptor) -> None:
    named = [f"<gz_frame_id>{name}</gz_frame_id>" for name in ("cam_link", "new", "new", "lens")]
    read = made(tmp_path, ending, kind, *named)
    assert frames(read, perceptor)[:3] == ["cam_link", "new", "new"]
    new, lens = told(read)
    assert "<gz_frame_id> new of sensor 's1'" in new and "no link has this name" in new
    assert "<gz_frame_id> lens of sensor 's3'" in lens and "this frame is not where the sensor is" in lens
    assert lens.endswith(f"messages name '{frames(read, perceptor)[3]}'")


@pytest.mark.parametrize("ending", ENDINGS)
def test_contacts_name_their_link(tmp_path: Path, ending: str) -> None:
    read = made(tmp_path, ending, "contact", "<gz_frame_id>arm</gz_frame_id>", "<gz_frame_id>cam_link</gz_frame_id>")
    (line,) = told(read)
    assert said([line], "<gz_frame_id> cam_link of sensor 's1'", "messages name the link 'arm'")
