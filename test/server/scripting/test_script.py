"""Scripts: when their functions are called, and that their faults stop nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from simspark_ros.server.scripting.script import Script, ScriptError
from simspark_ros.soccer.game_state import PlayMode
from test.rigs.stub_world import Lines


@pytest.fixture
def script(played, tmp_path) -> Callable[..., Lines]:
    """Adds a script with a text to the simulation; returns its warnings."""

    def make(text: str, **options: bool) -> Lines:
        path = tmp_path / "mine.py"
        path.write_text(text)
        log = Lines()
        Script(path, log.warning).attach(played.simulation, **options)
        return log

    return make


TRACE = """
from pathlib import Path
def say(text):
    with (Path(__file__).parent / "said").open("a") as file:
        print(text, file=file)
def on_start(game):
    say(f"start {game.world.cycle}")
    game.spawn("nao")
def on_cycle(game):
    say(f"cycle {game.world.cycle}")
def on_event(game, event):
    say(f"{event['event']} {event.get('play_mode', '')}".strip())
def on_end(game):
    say("end")
"""


def said(folder: Path) -> list[str]:
    return (folder / "said").read_text().splitlines()


def test_a_script_acts_on_events(played, script):
    script(
        """
def on_event(game, event):
    if event["event"] == "robot":
        game.trainer("(playMode PlayOn)")
"""
    )
    played.join()
    played.run(2)
    assert played.world.game.play_mode is PlayMode.PLAY_ON


def test_functions_are_called_in_order_but_a_run_that_goes_on_does_not_begin_again(script, tmp_path, played):
    script(TRACE)
    assert said(tmp_path) == ["start 0"]
    assert [robot.name for robot in played.world.robots.values()] == ["nao"]
    played.simulation.run(2)
    assert said(tmp_path)[1:] == ["start BeforeKickOff", "cycle 0", "robot", "cycle 1", "end"]
    (tmp_path / "said").unlink()
    script(TRACE, begins=False)
    assert not (tmp_path / "said").exists()


@pytest.mark.parametrize("fault", ["1 / 0", "import sys; sys.exit(3)", "game.robot('x')"])
def test_a_function_that_fails_is_named_and_not_called_again(played, script, fault):
    log = script(f"def on_cycle(game):\n    {fault}\ndef on_start(game): pass\n")
    played.run(3)
    assert played.world.cycle == 3
    [line] = log.lines
    assert "mine.py: line 2: on_cycle will not be called again: " in line


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("def on_start(game:\n", r"mine.py: line 1: "),
        ("x = 1\ny = z\n", r"line 2: NameError"),
        ("raise SystemExit", r"line 1: SystemExit"),
        ("def start(game): pass\n", r"none of the functions on_start, on_cycle, on_event, on_end"),
    ],
)
def test_files_that_are_no_scripts_are_refused(script, text, problem):
    with pytest.raises(ScriptError, match=problem):
        script(text)
    with pytest.raises(ScriptError, match=r"x.py: cannot be read: No such file"):
        Script(Path("x.py"), print)
