"""The referee in the running simulation: real physics, real contacts, and what players receive."""

import re

import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side


def test_a_foot_that_meets_the_ball_begins_play(play):
    played = play()
    handle = played.join("a", "A")
    played.act(Action("trainer", "kick_off", ("left",)))
    assert played.run(5).game.play_mode == "KickOff_Left"
    robot = played.world.robots[handle]
    played.world.place(robot, -0.14, 0.055, 0.385, 0.0)
    # It falls a few millimetres and the foot, 10 cm before the torso's centre, meets the ball.
    for _ in range(50):
        if played.run(1).game.play_mode == "PlayOn":
            break
        x, y, z = played.world.engine.state.position[0].tolist()
        played.world.place(robot, x + 0.005, y, z, 0.0)
    (decision,) = [d for d in played.referee.match.log.since(0) if d.kind == "play_on"]
    assert (decision.rule, decision.side, decision.unum) == ("kick_off", Side.LEFT, 1)


def test_without_the_referee_nothing_is_judged_but_the_trainer_is_obeyed(play):
    played = play(referee=False)
    played.join("a", "A")
    played.world.place_ball((15.3, 0.0))
    played.world.game.set_play_mode(PlayMode.PLAY_ON)
    assert played.run(3).game.play_mode == "PlayOn"
    assert played.act(Action("trainer", "kick_off", ("right",))).game.play_mode == "KickOff_Right"
    assert [d.kind for d in played.referee.match.log.since(0) if d.kind != "player_moved"] == ["kick_off"]


def test_a_changed_number_holds_from_the_next_cycle_and_monitors_get_it(play):
    played = play()
    played.join("a", "A")
    played.world.game.set_play_mode(PlayMode.PLAY_ON)
    assert dict(played.run(10).layout.environment)["RuleHalfTime"] == 300.0
    rules = {rule.name: rule for rule in played.referee.rules}
    played.referee.change("game", "half_time", 0.1)
    played.referee.change("order", "offside", True)
    played.referee.change("touching", "max_group", 5)
    percepts = played.run(1)
    assert (percepts.game.play_mode, percepts.game.half) == ("BeforeKickOff", 2)
    assert dict(percepts.layout.environment)["RuleHalfTime"] == 0.1
    changed = {rule.name: rule for rule in played.referee.rules}
    # What the others remember stays.
    assert changed.pop("offside") and changed == rules
    assert rules["touching"].settings.max_group == 5


def test_a_change_that_is_refused_changes_nothing(play):
    played = play()
    before = played.referee.match.book, played.world.settings
    for change, reason in (
        (("game", "half_time", 0.0), "game: half_time must be above 0"),
        (("game", "halftime", 1.0), "did you mean 'half_time'?"),
        (("order", "goal", 1), "order: goal: must be true or false, not 1"),
        (("order", "gaol", True), "unknown rule 'gaol'"),
        (("touching", "max_group", "two"), "touching: max_group: must be a whole number"),
    ):
        with pytest.raises(ConfigurationError, match=re.escape(reason)):
            played.referee.check([change])
        with pytest.raises(ConfigurationError, match=re.escape(reason)):
            played.referee.change(*change)
    assert (played.referee.match.book, played.world.settings) == before


def test_equal_seeds_take_equal_decisions_in_equal_order(play):
    def decisions(seed):
        played = play(seed=seed)
        for n in range(3):
            played.join(f"a{n}", "A", n + 1)
            played.join(f"b{n}", "B", n + 1)
        for robot in list(played.world.robots.values()):
            played.world.place(robot, robot.side.sign * (1.0 + robot.unum), 2.0 * robot.unum, 0.385, 0.0)
        played.run(1)
        return [(d.kind, d.side, d.unum, tuple(d.evidence.items())) for d in played.referee.match.log.since(0)]

    first = decisions(1)
    assert len(first) == 6 and decisions(1) == first
    # Six players stand in the wrong half; in which order they are moved is left to chance.
    assert [d[1:3] for d in decisions(2)] != [d[1:3] for d in first]
