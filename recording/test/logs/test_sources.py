import pytest

from recording.test.logs.test_rsmp_log import BALL, MODELS, line, toy, transform
from recording.test.playing.test_player import replaying
from simspark_recording.logs.league_worlds import world_of_log
from simspark_recording.logs.sources import log_source, pause
from simspark_recording.playing.monitor_state import MonitorState
from simspark_recording.settings import ReplaySettings
from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.configuration.league_models import MODELS_VARIABLE
from simspark_ros.protocol.monitor.inspection import OPENING, ReplayProgress, Roster, read
from simspark_ros.protocol.monitor.log import LogError

LAST = 10
"""Time of the last frame, s; they are 1 s apart."""


def test_a_log_of_the_league_since_2026_is_played_by_simulated_time_with_its_robots(tmp_path, monkeypatch):
    monkeypatch.setenv(MODELS_VARIABLE, str(MODELS))
    path = tmp_path / "game.log"
    scene = transform(BALL, toy())
    path.write_bytes(b"".join(line(scene, time) + b"\n" for time in range(LAST + 1)))
    replay = replaying(ReplaySettings(path, 0, loop=True), lambda: 0.0)
    with replay as player, ClassicClient("127.0.0.1", player.server.port) as client:
        assert b"(RSG " in client.receive()
        client.send("(inspect)(seek 7)")
        while not (told := client.receive()).startswith(OPENING):
            pass
        roster = read(told)
        assert isinstance(roster, Roster) and [one.name for one in roster.robots] == ["toy"]
        assert read(client.receive()) == ReplayProgress(7, LAST)
        assert b"(RSG " in client.receive(), "a full frame, for those who have just heard of its robots"


def test_wrong_lines_are_named_and_field_and_ball_tell_the_world_of_a_log_of_either_kind(tmp_path):
    path = tmp_path / "game.log"
    path.write_bytes(line(transform(BALL)) + b"\n((RSMP 1 0))\n")
    source = log_source(ReplaySettings(path, 0))
    with pytest.raises(LogError, match=r"game\.log, line 2: a frame without"):
        list(source(MonitorState()))
    path, lines = tmp_path / "game.log", {"fifa7vs7": line(transform(BALL))}
    for world, size in {"kidsize": (9, 6, 0.07), "spl": (9, 6, 0.05), "": (30, 20, 0.042)}.items():
        environment = "(FieldLength {})(FieldWidth {})(BallRadius {})".format(*size)
        lines[world] = f"({environment}(time 0))(RSG 0 1)()".encode()
    for world, first in lines.items():
        path.write_bytes(first + b"\n")
        assert world_of_log(path) == world


@pytest.mark.parametrize(("earlier", "later", "expected"), [(1, 1.2, 0.2), (1, 1, 0.5), (9, 1, 0.5), (1, 300, 0.5)])
def test_pauses_are_those_of_game_time_unless_it_stands_still_or_jumps(earlier, later, expected):
    assert pause(earlier, later, 0.5) == pytest.approx(expected)
