"""Every example runs as it is and prints what it promises; the ROS node is in test/ros/topics/commands."""

import re
import runpy
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from simspark_ros.arena import Arena
from simspark_ros.configuration.resources import resource
from simspark_ros.server.monitor_log import MonitorLog
from simspark_ros.soccer.world import SoccerWorld
from test.clients.team_rig import stadium

EXAMPLES, COURSE = resource("examples"), resource("docs") / "course"
NEEDS_GYMNASIUM = pytest.mark.skipif(find_spec("gymnasium") is None, reason="needs gymnasium")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs an example by its name and arguments, or a lesson; returns what it prints."""

    def started(name: str, *arguments: object, folder: Path = EXAMPLES) -> str:
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        runpy.run_path(str(folder / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out

    return started


@pytest.mark.parametrize(
    ("name", "promise"),
    [
        ("first_steps", r"turned by 0\.50 rad(.|\n)*'B': array(.|\n)*bit by bit: True"),
        ("own_robot", r"turns with 1\.0\d rad/s"),
        ("own_sensor", r"1\.0 s: 0\.3"),
        ("own_actuator", r"hopped 0\.1\d m high"),
        ("own_rule", r"it goes to the centre\.\nthe ball is at \[0\. +0\. "),
        ("own_world", r"0\.1\d m high"),
        ("camera_opencv", r"ball at column \d+, row \d+, radius 9"),
        ("referee_case", r"ok .*\nok "),
        pytest.param("learning", r"(target \d: reward \d\.\d\d, arrived\n){3}", marks=NEEDS_GYMNASIUM),
    ],
)
def test_an_example_does_what_it_promises(run, name: str, promise: str) -> None:
    assert re.search(promise, run(name))


def test_a_film_of_a_rolling_ball_is_written(run, tmp_path: Path) -> None:
    film = tmp_path / "ball.gif"
    said = run("video", "-o", film, "--seconds", "0.4", "--width", "96")
    assert re.search(r"5 pictures; the ball has come to x = -0\.[0-4] m", said)
    with Image.open(film) as pictures:
        assert (getattr(pictures, "n_frames", 1), pictures.size) == (5, (96, 54))


def test_a_map_for_navigation_has_walls_and_doors_and_nothing_that_can_be_moved(run, tmp_path: Path) -> None:
    run("occupancy_map", EXAMPLES / "files" / "rooms.yaml", "--size", 11, 9, "-o", tmp_path / "rooms")
    assert "origin: [-5.5, -4.5, 0.0]" in (tmp_path / "rooms.yaml").read_text()
    with Image.open(tmp_path / "rooms.pgm") as picture:
        cells = np.array(picture)[::-1]
    wall, pillar, door, crate = (
        cells[int((y + 4.5) / 0.05), int((x + 5.5) / 0.05)]
        for x, y in ((0.47, 2.7), (-1.43, -1.6), (0.47, 0.8), (-3.18, -1.4))
    )
    assert (wall, pillar, door, crate) == (0, 0, 254, 254)


@pytest.mark.parametrize(
    ("lesson", "promise"),
    [
        ("sense", r"mean of  1 looks: off by \d+ mm(.|\n)*mean of 40 looks: off by \d mm"),
        ("act", r"gain    1/s: arrives never(.|\n)*gain   80/s: arrives after 0\.\d+ s, overshoots by 0\.0[1-9]"),
        ("walk", r"told 0\.3 m/s: 0\.2\d m/s(.|\n)*at the ball after [5-9]\.\d s"),
        ("localize", r"12\.0 s: particles off by 0\.[01]\d m, odometry alone by \d\.\d\d m"),
        ("play", r"1 goal after \d+\.\d s"),
        ("learn", r"before: 0\.1\d+\n(.|\n)*after: 0\.3\d+"),
        ("referee", r"speed_limit: The ball had 5\.(.|\n)*ball_out: (.|\n)*goal: (.|\n)*score 1:0"),
        ("own_robot", r"track 0\.2 m: turns with 0\.[56]\d rad/s(.|\n)*track 0\.4 m: turns with 0\.[23]\d rad/s"),
    ],
)
def test_a_lesson_of_the_course_shows_what_its_page_says(run, lesson: str, promise: str) -> None:
    assert re.search(promise, run(lesson, folder=COURSE))


def test_each_lesson_has_a_page_with_its_program_and_the_list_of_examples_is_complete() -> None:
    listed = re.findall(r"^\| \d\. \[(\w+)\]", (COURSE / "README.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(path.stem for path in COURSE.glob("*.py")) and len(listed) == 8
    for lesson in listed:
        assert f"{{literalinclude}} {lesson}.py" in (COURSE / f"{lesson}.md").read_text()
    rows = re.findall(r"^\| (`.+?) \|", (EXAMPLES / "README.md").read_text(), re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`(\w+)\.py`", row)]
    assert sorted(listed) == sorted(path.stem for path in EXAMPLES.glob("*.py"))


def test_the_agent_walks_to_the_ball_of_a_server(run) -> None:
    def is_near(world: SoccerWorld) -> bool:
        state = world.engine.state
        return bool(np.linalg.norm(state.position[0][:2] - state.ball_position[:2]) < 14.0)

    with stadium(1, is_near) as place:
        assert "I was left 1" in run("agent", "--port", place.port)
    assert place.met


@pytest.mark.parametrize("name", ["ray_rllib", "ray_tune"])
def test_an_example_for_ray_says_what_it_needs(run, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SystemExit, match=r"pip install 'simspark_learning\[training,ray\]' 'ray\["):
        run(name)


@pytest.mark.slow
def test_the_team_plays_a_match(run) -> None:
    assert re.search(r"ours \d, demonstration team \d", run("whole_team", "--half-time", 1))


def test_a_log_becomes_a_plot(run, tmp_path: Path) -> None:
    with Arena("sphere") as arena:
        arena.add_node(MonitorLog(tmp_path / "match.log.gz", 0.04, print))
        arena.set_play_mode("PlayOn")
        arena.place_ball(1.0, 0.0, (2.0, 0.0, 0.0))
        arena.step(50)
    out = run("log_analysis", tmp_path / "match.log.gz", "-o", tmp_path / "ball.png")
    # A second at 2 m/s, slowed down by the air and by what it needs to begin to roll.
    assert re.search(r"1\.0 s: the ball has moved [01]\.\d m, 100%", out)
    assert (tmp_path / "ball.png").stat().st_size > 1000


@pytest.mark.parametrize("document", ["README.md", "docs/tutorials/arena.md"])
def test_programs_of_the_documents_run(document: str, capsys: pytest.CaptureFixture[str]) -> None:
    form = r"(?s)```python\n(from simspark_ros.arena import Arena\n.*?)```"
    exec(re.findall(form, resource(document).read_text())[0], {})
    assert capsys.readouterr().out
