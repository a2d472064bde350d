"""The record of a match from a server's events, and its result."""

import json
from pathlib import Path

import pytest

from simspark_matches.record import MatchRecord
from simspark_matches.result import MatchOutcome, MatchResult, read_result, side_result
from simspark_matches.settings import MatchSettings, TeamCommand, TeamSettings
from simspark_ros.configuration.schema import ConfigurationError

SETTINGS = MatchSettings(TeamSettings("l"), TeamSettings("r"))
COMMAND = TeamCommand(("x",), "Named", 2, Path("."))


def record_of(*events: tuple[float, str, dict[str, object]]) -> MatchRecord:
    record = MatchRecord()
    for time, kind, values in events:
        record.take({"cycle": round(time * 50), "time": time, "game_time": time, "event": kind, **values})
    return record


def join(time: float, side: str, unum: int) -> tuple[float, str, dict[str, object]]:
    return time, "join", {"side": side, "unum": unum, "team": side.title(), "client": "agent-1"}


def leave(time: float, side: str, unum: int) -> tuple[float, str, dict[str, object]]:
    return time, "leave", {"side": side, "unum": unum, "team": side.title()}


def score(time: float, half: int, left: int, right: int) -> tuple[float, str, dict[str, object]]:
    return time, "score", {"half": half, "score": [left, right]}


def test_goals_are_counted_by_half_but_those_that_are_taken_back():
    record = record_of(score(1, 1, 1, 0), score(2, 1, 1, 1), score(3, 2, 3, 1))
    assert (record.score, record.by_half) == ((3, 1), [(1, 1), (2, 0)])
    assert record_of(score(1, 1, 1, 0), score(2, 1, 0, 0)).by_half == [(0, 0), (0, 0)]


def test_a_team_is_absent_since_its_last_player_left_until_one_comes_back():
    record = record_of(join(1, "left", 1), join(1, "left", 2), leave(5, "left", 1))
    assert (record.sides["left"].empty_since, record.sides["right"].empty_since) == (None, 0.0)
    events = join(1, "left", 1), leave(6, "left", 1)
    left = record_of(*events).sides["left"]
    assert (left.empty_since, left.lost) == (6.0, [(1, 6.0)])
    assert record_of(*events, join(7, "left", 1)).sides["left"].empty_since is None
    # After the game nobody is lost.
    over: dict[str, object] = {"play_mode": "GameOver", "before": "PlayOn"}
    assert record_of(events[0], (5, "play_mode", over), events[1]).sides["left"].lost == []


def test_arrivals_fouls_and_falls_are_counted_and_events_by_kind():
    record = record_of((0, "robot", {"client": "agent-1"}), (0, "robot_gone", {"client": "agent-1"}))
    assert (record.robots, record.arrivals) == (0, 1)
    foul = {"kind": "charging", "side": "right", "unum": 2}
    record = record_of((1, "foul", foul), (2, "foul", foul), (3, "fall", {"side": "left", "unum": 1}))
    assert (record.sides["right"].fouls, record.sides["left"].falls) == ({"charging": 2}, 1)
    assert record_of((1, "decision", {"rule": "goal"})).events == {"decision": 1}


def result(record: MatchRecord, *forfeits: str) -> MatchResult:
    sides = {side: side_result(side, SETTINGS, COMMAND, record, [], forfeits) for side in ("left", "right")}
    outcome = MatchOutcome.FORFEIT if forfeits else MatchOutcome.PLAYED
    return MatchResult(outcome, "", sides, record, 0.2, {}, [], {})


@pytest.mark.parametrize(
    ("score_before", "forfeits", "counts"),
    [
        ((2, 1), [], (2, 1)),
        ((2, 1), ["left"], (0, 3)),
        ((2, 1), ["right"], (3, 0)),
        ((1, 6), ["left"], (1, 6)),
        ((2, 1), ["left", "right"], (0, 0)),
    ],
)
def test_what_counts_when_a_team_forfeits(score_before, forfeits, counts):
    assert result(record_of(score(1, 1, *score_before)), *forfeits).score == counts


def test_a_result_is_read_as_it_was_written(tmp_path):
    made = result(record_of(join(1, "left", 1), score(1, 1, 2, 0)))
    assert read_result(tmp_path / "result.json") is None
    made.write(tmp_path)
    read = read_result(tmp_path / "result.json")
    assert read == json.loads(json.dumps(made.as_json()))
    assert read is not None and read["score"] == [2, 0]
    assert read["duration"]["real_time_factor"] == 5.0
    assert (read["left"]["name"], read["right"]["name"]) == ("Left", "Named")
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


@pytest.mark.parametrize("text", ["", "[]", '{"format": 0}', "{"])
def test_a_file_that_is_no_result_is_named(text, tmp_path):
    path = tmp_path / "result.json"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=r"result\.json: this file is not"):
        read_result(path)
