import numpy as np

from simspark_ros.protocol.monitor.reader import MonitorReader
from simspark_ros.soccer.teams import Side
from simspark_watching.broadcast.board import board_of
from simspark_watching.broadcast.goals import ScoreWatch
from simspark_watching.broadcast.scene_recognition import SceneObjects, SceneRobot

STRIKER = SceneRobot("nao", 0, Side.LEFT, 9, ())
KEEPER = SceneRobot("nao", 0, Side.RIGHT, 1, ())
OBJECTS = SceneObjects((STRIKER, KEEPER))
TORSOS = np.array([(10.0, 0.0, 0.4), (14.0, 0.0, 0.4)])
STEP = 0.04


class Match:
    """Pictures one after the other; `roll` moves the ball from one place to another."""

    def __init__(self):
        self.reader, self.watch = MonitorReader(), ScoreWatch()
        self.time = 130.0

    def show(self, x, y=0.0, left=0, right=0):
        self.time += STEP
        self.reader.environment = {"time": f"{self.time:.2f}", "score_left": str(left), "score_right": str(right)}
        return self.watch.follow(self.reader, OBJECTS, TORSOS, np.array((x, y, 0.04)))

    def roll(self, start, end, y=0.0):
        for x in np.linspace(start, end, 40):
            self.show(x, y)


def kicked_by_the_striker():
    match = Match()
    match.roll(10.2, 10.2)
    match.roll(10.2, 15.0, y=0.5)
    return match


def test_who_kicked_last_has_scored_also_after_the_ball_has_rolled_past_a_player():
    match = kicked_by_the_striker()
    (goal,) = match.show(15.1, left=1)
    assert (goal.side, goal.unum, goal.own, goal.text) == (Side.LEFT, 9, False, "#9 3'")
    assert board_of(match.reader, match.watch.goals).left.scorers == ("#9 3'",)
    match = kicked_by_the_striker()
    match.roll(15.0, 14.0, y=3.0)
    match.roll(14.0, 13.0, y=3.0)
    (goal,) = match.show(15.1, left=1)
    assert goal.unum == 9


def test_own_goals_are_told_those_from_before_are_nobodys_and_later_ones_go_when_a_log_goes_back():
    (goal,) = kicked_by_the_striker().show(-15.1, right=1)
    assert (goal.side, goal.unum, goal.text) == (Side.RIGHT, 9, "#9 3' (own goal)")
    match = Match()
    assert match.show(0.0, left=2) == []
    (goal,) = match.show(0.0, left=3)
    assert (goal.unum, goal.text) == (0, "3'")
    match = kicked_by_the_striker()
    match.show(15.1, left=1)
    match.time = 10.0
    assert match.show(0.0) == [] and match.watch.goals == ()
