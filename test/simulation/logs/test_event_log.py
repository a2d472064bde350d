import json
from pathlib import Path
from typing import Any

import pytest

from simspark_ros.exchange import Action, Commands
from simspark_ros.simulation.attachments import EndWithGame
from simspark_ros.simulation.logs.event_log import EventLog
from simspark_ros.simulation.logs.log_file import LogFile
from simspark_ros.soccer.game_state import FoulKind, PlayMode
from simspark_ros.soccer.teams import Side


class Logged:
    """A played simulation with a log that is read while it is written."""

    def __init__(self, play, path: Path) -> None:
        self._path = path
        self.played = play()
        self.simulation, self.world = self.played.simulation, self.played.world
        self.log = EventLog(LogFile(path, "event log", print))
        self.log.init(self.simulation)
        self.simulation.add_node(self.log)

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        events = [json.loads(line) for line in self._path.read_text().splitlines()]
        return [event for event in events if not kinds or event["event"] in kinds]


@pytest.fixture
def logged(play, tmp_path):
    return Logged(play, tmp_path / "events.jsonl")


def test_it_records_who_joins_and_leaves_and_once_a_name_for_which_no_side_is_left(logged):
    logged.played.join("agent1", "Reds", 3, 4)
    logged.played.act(Action("agent1", "leave"))
    robot, join, leave = logged.events("robot", "join", "leave")
    assert (robot["client"], robot["model"], robot["variant"]) == ("agent1", "nao", 4)
    assert (join["side"], join["unum"], join["team"], join["client"]) == ("left", 3, "Reds", "agent1")
    assert (leave["side"], leave["unum"], leave["team"]) == ("left", 3, "Reds")
    for client, team in (("a", "Reds"), ("b", "Blues"), ("c", "tigers"), ("d", "tigers")):
        logged.played.act(Action(client, "create", ("nao", 0)), Action(client, "init", (team, 0)))
    assert [event["team"] for event in logged.events("stranger")] == ["tigers"]


def test_robots_are_recorded_before_time_has_started_and_every_foul_once(logged):
    for action in (Action("agent1", "create", ("nao", 0)), Action("agent1", "leave")):
        logged.played.link.inbox.append(Commands(actions=(action,)))
        logged.simulation.run_cycle(0)
    told = logged.events("robot", "robot_gone")
    assert [(event["event"], event["cycle"]) for event in told] == [("robot", 0), ("robot_gone", 0)]
    logged.world.game.report_foul(FoulKind.CHARGING, Side.RIGHT, 5)
    logged.played.run(2)
    logged.world.game.report_foul(FoulKind.TOUCHING, Side.LEFT, 2)
    logged.played.run(1)
    fouls = [(foul["kind"], foul["side"], foul["unum"]) for foul in logged.events("foul")]
    assert fouls == [("charging", "right", 5), ("touching", "left", 2)]


def test_it_tells_modes_goals_and_halves_once_and_the_end_with_the_score(logged):
    logged.world.game.set_play_mode(PlayMode.PLAY_ON)
    logged.played.run(2)
    logged.world.game.score_right = 1
    logged.world.game.half = 2
    logged.played.run(2)
    mode, score, half = logged.events("play_mode", "score", "half")
    assert (mode["before"], mode["play_mode"], mode["cycle"]) == ("BeforeKickOff", "PlayOn", 1)
    assert (score["before"], score["score"], score["cycle"]) == ([0, 0], [0, 1], 3) and half["half"] == 2
    logged.log.done(logged.simulation)
    assert (logged.events()[-1]["event"], logged.events()[-1]["score"]) == ("end", [0, 1])


def test_every_decision_of_the_referee_is_told_with_its_evidence_and_a_fall_once(logged):
    logged.played.referee.drop_ball()
    logged.played.run(2)
    logged.played.referee.overrule(1)
    logged.played.run(2)
    dropped, overruled = logged.events("decision")
    assert (dropped["number"], dropped["kind"], dropped["rule"]) == (1, "drop_ball", "trainer")
    assert dropped["place"] == pytest.approx([0.0, 0.0]) and overruled["evidence"] == {"decision": 1}
    assert "overruled" in overruled["text"]
    handle = logged.played.join("agent1", "Reds", 3)
    robot = logged.world.robots[handle]
    for height in (0.2, 0.28, 0.2, 0.4, 0.2):
        x, y, _ = robot.home[:3]
        logged.world.place(robot, x, y, height, 0.0)
        logged.log.end_cycle(logged.simulation)
    assert [(fall["side"], fall["unum"]) for fall in logged.events("fall")] == [("left", 3)] * 2


@pytest.mark.parametrize("rule", [True, False])
def test_the_simulation_ends_some_time_after_the_game_by_an_option_or_a_rule(play, rule):
    played = play(changes=("rules.game.automatic_quit=true", "rules.game.quit_after=0.1") if rule else ())
    if not rule:
        played.simulation.add_node(EndWithGame(0.1))
    played.run(10)
    assert not played.simulation.stopping
    played.world.game.set_play_mode(PlayMode.GAME_OVER)
    played.run(4 + rule)
    assert not played.simulation.stopping
    played.run(1)
    assert played.simulation.stopping
