"""Robots from files that a client names: read in a process of their own, within limits, or refused in words."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from simspark_ros.configuration import foreign
from simspark_ros.configuration.copies import Original
from simspark_ros.configuration.limits import LimitSettings, for_own_files
from simspark_ros.physics.model import ShapeKind
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.simulation.settings import SimulationSettings
from test.rigs.processes import Process, children, gone
from test.rigs.waiting import DEADLINE, until
from test.robots.formats.adaptation.makers import box, write_mesh

XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
LIMITS = LimitSettings()
PIPE = "pipe.xml"
PATIENCE = 2.0
"""Seconds of the processor that a test lets a reader try the impossible."""


def robot_file(
    folder: Path, yaml: str = "", model: str = f'<robot name="r"><link name="a">{MASS}</link></robot>'
) -> Path:
    """A robot's YAML file, which is small unless another one is given."""
    (folder / "robot.urdf.xacro").write_text(model, encoding="utf-8")
    path = folder / "robot.yaml"
    path.write_text(f"model: robot.urdf.xacro\n{yaml}", encoding="utf-8")
    return path


def chain(links: int) -> str:
    parts = [f'<link name="l{i}">{MASS}</link>' for i in range(links)]
    ends = '<parent link="l{}"/><child link="l{}"/>'
    parts += [f'<joint name="j{i}" type="continuous">{ends.format(i, i + 1)}</joint>' for i in range(links - 1)]
    return f'<robot name="chain">{"".join(parts)}</robot>'


def waiting(folder: Path) -> Path:
    """A robot's file with a part that is a pipe into which nothing is ever written."""
    os.mkfifo(folder / PIPE)
    return robot_file(folder, model=f'<robot name="r" {XACRO}><xacro:include filename="{PIPE}"/></robot>')


@contextmanager
def read_by_another(pipe: Path) -> Iterator[None]:
    """Wait until a process reads the pipe, and have it wait for more."""
    ends: list[int] = []

    def is_read() -> bool:
        with suppress(OSError):
            ends.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        return bool(ends)

    until(is_read)
    try:
        yield
    finally:
        os.close(ends[0])


def aliases(levels: int) -> str:
    """A few hundred bytes of YAML with 9 ** levels entries."""
    return "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else 'lol'] * 9)}]" for n in range(levels))


SDF_MASS = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
WITH_PART = {
    ".urdf": f'<robot name="r"><link name="a">{MASS}<collision><geometry>'
    '<mesh filename="../shapes/part.stl"/></geometry></collision></link></robot>',
    ".sdf": f'<sdf version="1.7"><model name="r"><link name="a">{SDF_MASS}<collision name="c"><geometry><mesh><uri>'
    "../shapes/part.stl</uri></mesh></geometry></collision></link></model></sdf>",
    ".xml": '<mujoco><asset><mesh name="m" file="../shapes/part.stl"/></asset><worldbody><body><freejoint/>'
    '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
}


@pytest.mark.parametrize("ending", WITH_PART)
def test_files_in_the_folder_above_are_for_the_operator_alone(tmp_path: Path, ending: str) -> None:
    if ending == ".xml":
        pytest.importorskip("mujoco")
    write_mesh(tmp_path / "shapes" / "part.stl", box(0.2, 0.2, 0.2))
    (tmp_path / "made").mkdir()
    path = tmp_path / "made" / f"robot{ending}"
    path.write_text(WITH_PART[ending], encoding="utf-8")
    (link,) = load_foreign(path, 0, for_own_files(LIMITS)).model.links
    assert [shape.kind for shape in link.collisions] == [ShapeKind.HULL]
    with pytest.raises(RobotError, match=r"leads out of|lies neither"):
        load_foreign(path, 0, LIMITS)


def test_what_a_library_says_of_a_file_is_told_and_not_taken_for_lack_of_memory(tmp_path: Path) -> None:
    program = """
import sys
from simspark_ros.configuration.foreign import answer

def read(path, limits):
    raise ValueError("an odd\\nnumber")

answer(sys.argv[1], read)
"""
    file = robot_file(tmp_path)
    told = subprocess.check_output([sys.executable, "-c", program, json.dumps([str(file), False, asdict(LIMITS)])])
    assert json.loads(told) == {"error": f"{file}: cannot be read: ValueError: an odd number"}


@pytest.mark.parametrize("variant", [0, 4])
def test_a_robot_is_the_same_whichever_process_reads_it(tmp_path: Path, variant: int) -> None:
    path = tmp_path / "own.yaml"
    text = "based_on: nao\nmotors: realistic\nmore_perceptors: [{kind: gyroscope, name: head, link: head}]"
    path.write_text(text, encoding="utf-8")
    assert load_foreign(path, variant, SimulationSettings()) == load_robot(str(path), variant)


def test_a_robot_is_read_once_by_whatever_path(tmp_path: Path) -> None:
    path = robot_file(tmp_path)
    (tmp_path / "folder").mkdir()
    assert load_foreign(tmp_path / "folder" / ".." / path.name, 0, LIMITS) is load_foreign(path, 0, LIMITS)


@pytest.mark.parametrize(
    ("model", "yaml"),
    [
        (f'<robot name="${{9**9**9}}" {XACRO}/>', ""),
        (f'<robot name="${{10**10**8}}" {XACRO}/>', ""),
        (f'<robot name="${{[0]*10**10}}" {XACRO}/>', ""),
        (f'<robot name="r" {XACRO}><xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/></robot>', ""),
        ("<robot", f"parameters: *a8\n{aliases(9)}"),
        (chain(1), "perceptors: " + "[" * 100_000),
        (chain(1), f"# {'x' * 2_000_000}"),
        (chain(1), "a: &a {b: *a}"),
        (f'<robot name="r" {XACRO}><xacro:include filename="robot.urdf.xacro"/></robot>', ""),
        (chain(1), "based_on: ./robot.yaml"),
        (chain(1), f"based_on: {'x' * 5000}.yaml"),
    ],
    ids=[
        *("endless", "long number", "memory", "recursion", "alias in the wrong key", "depth", "size", "itself"),
        *("included in itself", "based on itself", "long name"),
    ],
)
def test_files_that_take_too_much_are_refused_in_words(tmp_path: Path, model: str, yaml: str) -> None:
    with pytest.raises(RobotError, match=r"robot\.|name too long") as caught:
        load_foreign(robot_file(tmp_path, yaml, model), 0, replace(LIMITS, robot_file_time=PATIENCE))
    assert len(str(caught.value)) < 2100


def test_a_file_that_is_never_delivered_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "CLOCK_TIMES", 2)
    # A process that waits for the file has used no time: a busy machine looks the same, and the text says so.
    blamed = r"longer than 0\.5 s \(2 x robot_file_time = 0\.25 s\), .*: (the machine is busy|the file takes too long)"
    with pytest.raises(RobotError, match=blamed):
        load_foreign(waiting(tmp_path), 0, replace(LIMITS, robot_file_time=0.25))
    monkeypatch.setattr(foreign, "CLOCK_TIMES", 2.0 * DEADLINE)
    path = robot_file(tmp_path, model=f'<robot name="${{9**9**9}}" {XACRO}/>')
    with pytest.raises(RobotError, match=r"takes more processor time than robot_file_time = 0\.5 s"):
        load_foreign(path, 0, replace(LIMITS, robot_file_time=0.5))


def test_a_reader_has_more_time_by_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine, whose readers wait for the processor, refuses no robot."""
    given = []

    def read_all(file: int, timeout: float) -> None:
        given.append(timeout)
        raise OSError("not today")

    monkeypatch.setattr(foreign, "read_all", read_all)
    with pytest.raises(RobotError, match="not today"):
        load_foreign(robot_file(tmp_path), 0, LIMITS)
    assert given == [6.0 * LIMITS.robot_file_time]


def test_a_robot_that_takes_too_much_memory_and_a_file_that_is_short_by_its_aliases_are_refused(tmp_path: Path) -> None:
    # 400 MB beside those of Python and numpy. The time is that of a busy machine to fill them.
    text = f"""<robot name="${{'r' if [0] * (5 * 10**7) else ''}}" {XACRO}><link name="a">{MASS}</link></robot>"""
    path, patient = robot_file(tmp_path, model=text), replace(LIMITS, robot_file_time=60.0)
    assert load_foreign(path, 0, replace(patient, robot_file_memory=2000)).model.name == "r"
    with pytest.raises(RobotError, match=r"robot_file_memory|MemoryError"):
        load_foreign(path, 0, patient)
    text = f"&a {'x' * 10_000}, {', '.join(['*a'] * 450)}"
    path = robot_file(tmp_path, f"perceptors: [{{kind: hear, parameters: {{x: [{text}]}}}}]")
    with pytest.raises(RobotError, match="larger than 4 x robot_file_size once it is expanded"):
        load_foreign(path, 0, LIMITS)


def test_two_files_are_read_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, most = [], []

    def run(*_: object, **__: object) -> None:
        reading.append(1)
        most.append(len(reading))
        time.sleep(0.02)
        reading.pop()
        raise OSError("not today")

    monkeypatch.setattr(Original, "copy", run)
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(load_foreign, tmp_path / f"{number}.yaml", 0, LIMITS) for number in range(8)]
    assert {type(one.exception()) for one in asked} == {RobotError}
    assert max(most) == 2


def test_a_reader_ends_with_its_server(tmp_path: Path) -> None:
    script = "\n".join(
        (
            "from pathlib import Path",
            "from simspark_ros.configuration.limits import LimitSettings",
            "from simspark_ros.robots.files.foreign import load_foreign",
            f"load_foreign(Path({str(waiting(tmp_path))!r}), 0, LimitSettings())",
        )
    )
    with Process([sys.executable, "-c", script]) as server:
        original = server.child("configuration.copies")
        with read_by_another(tmp_path / PIPE):
            (reader,) = children(original)
            server.end(signal.SIGKILL)
            until(lambda: gone(reader) and gone(original))


def test_ctrl_c_in_a_terminal_is_not_for_readers(tmp_path: Path) -> None:
    """A reader would die of it, and its file would be blamed."""
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(load_foreign, waiting(tmp_path), 0, LIMITS)
        with read_by_another(tmp_path / PIPE):
            program = "simspark_ros.configuration.copies"
            originals = [child for child in psutil.Process().children() if program in child.cmdline()]
            readers = [reader.pid for original in originals for reader in original.children()]
            assert readers
            assert os.getpgrp() not in {os.getpgid(pid) for pid in readers}
    assert isinstance(asked.exception(), RobotError)


def test_a_robot_that_is_too_large_is_refused_with_the_limit(tmp_path: Path) -> None:
    solid = '<geometry><sphere radius="1"/></geometry>'
    body = f'<link name="b"><visual>{solid}</visual><collision>{solid}</collision></link>'
    model = chain(5).replace(
        "</robot>", f'{body}<joint name="f" type="fixed"><parent link="l0"/><child link="b"/></joint></robot>'
    )
    path = robot_file(tmp_path, "perceptors: [{kind: hear}, {kind: time}]\neffectors: [{kind: say}]", model)
    load_foreign(path, 0, LIMITS)
    least = {"max_links": 4, "max_joints": 3, "max_shapes": 0, "max_devices": 2, "max_colliding": 0}
    for limit, value in least.items():
        with pytest.raises(RobotError, match=f"{limit} allows {value}"):
            load_foreign(path, 0, replace(LIMITS, **{limit: value}))


@pytest.mark.parametrize(
    "content",
    [
        *("hunter2 " * 50, "password: hunter2 hunter2 hunter2", "- hunter2\n- [hunter2", "a: b: hunter2"),
        *("model: secret", f"based_on: {'hunter2 ' * 50}"),
    ],
)
def test_an_error_does_not_repeat_a_file_that_is_no_robot(tmp_path: Path, content: str) -> None:
    (tmp_path / "secret").write_text("hunter2", encoding="utf-8")
    (tmp_path / "secret.yaml").write_text(content, encoding="utf-8")
    (tmp_path / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    for name in ("secret.yaml", "link.yaml"):
        with pytest.raises(RobotError) as caught:
            load_foreign(tmp_path / name, 0, LIMITS)
        # A base is named, as far as a name may be long.
        assert str(caught.value).count("hunter2") < (12 if "based_on" in content else 1)


def test_a_file_whose_path_others_cannot_be_told_is_refused(tmp_path: Path) -> None:
    path = robot_file(tmp_path)
    path = path.rename(os.fsdecode(bytes(tmp_path) + b"/\xff.yaml"))
    (tmp_path / "link.yaml").symlink_to(path)
    for name in ("link.yaml", path.name):
        with pytest.raises(RobotError, match="path must be UTF-8") as caught:
            load_foreign(tmp_path / name, 0, LIMITS)
        assert str(caught.value).encode()
    with pytest.raises(RobotError, match="path must be UTF-8"):
        load_robot(str(tmp_path / "link.yaml"))


def test_a_machine_that_gives_a_reader_no_time_is_blamed_and_not_the_file() -> None:
    limits = replace(LIMITS, robot_file_time=10.0)
    assert "the machine is busy" in foreign._blamed(1.0, limits)
    assert foreign._blamed(9.0, limits) == "the file takes too long"
