from simspark_ros.exchange import Action
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side


def test_a_request_waits_for_the_rules_and_changes_nothing_else(play):
    # What the rules do with the request is tested with the referee.
    played = play(referee=False)
    handle = played.join("a", "A")
    played.world.game.set_play_mode(PlayMode.PLAY_ON)
    assert not played.refusals(Action("a", "pass"))
    assert played.world.game.play_mode is PlayMode.PLAY_ON
    taken = played.world.game.take_pass_requests()
    assert {side: request.handle for side, request in taken.items()} == {Side.LEFT: handle}
    assert taken[Side.LEFT].cycle == played.world.cycle - 1
    assert not played.world.game.take_pass_requests()


def test_requests_without_a_team_or_outside_of_play_are_refused_by_name(played):
    assert "send (scene" in played.refusals(Action("a", "pass"))[0]
    played.act(Action("a", "create", ("nao", 0)))
    assert "send (init" in played.refusals(Action("a", "pass"))[0]
    played.act(Action("a", "init", ("A", 1)))
    assert "PlayOn only, not in BeforeKickOff" in played.refusals(Action("a", "pass"))[0]
    assert not played.world.game.pass_requests


def test_the_request_of_a_robot_that_leaves_is_gone(played):
    played.join("a", "A")
    played.world.game.set_play_mode(PlayMode.PLAY_ON)
    played.act(Action("a", "pass"))
    played.act(Action("a", "leave"))
    assert not played.world.game.pass_requests
