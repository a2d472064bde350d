"""A game as users of ROS 2 meet it: robots join a team, speak and are beamed; decisions are published and overruled."""

from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.srv import DescribeParameters

from simspark_ros.msg import Beam, GameState, Hear, RefereeEvent, Result, Say, TeamStatus
from simspark_ros.srv import DropBall, JoinTeam, KickOff, OverruleDecision, SetPlayMode
from test.rigs.ros_processes import Observer

PARAMETERS = ("robots:=['a=nao', 'b=nao']", "changes:=['beam.noise_xy=0', 'beam.noise_deg=0']")


@pytest.fixture(scope="module", autouse=True)
def players(observer: Observer) -> None:
    """`a` plays left, `b` right, in a world without noise of the beam."""
    for name, team, unum in (("a", "Reds", 3), ("b", "Blues", 0)):
        answer = observer.call(JoinTeam, "game/join_team", JoinTeam.Request(entity=name, team=team, unum=unum))
        assert answer.result.result == Result.RESULT_OK, answer.result.error_message
        assert (answer.left, answer.unum) == (name == "a", unum or 1)


def newest(observer: Observer, kind: type, topic: str, condition: Any) -> Any:
    """The first message from now on for which a condition holds."""
    with observer.hear(kind, topic) as heard:
        observer.until(lambda: any(map(condition, heard.messages)), f"the wanted message on {topic}")
        return next(filter(condition, heard.messages))


def test_state_and_teams_are_published(observer: Observer) -> None:
    state = newest(observer, GameState, "game/state", lambda m: True)
    assert (state.play_mode, state.half, state.left_team, state.right_team) == ("BeforeKickOff", 1, "Reds", "Blues")
    team = newest(observer, TeamStatus, "game/left_team", lambda m: m.players)
    (player,) = team.players
    assert (team.name, player.name, player.unum, player.model) == ("Reds", "a", 3, "nao")
    assert not player.fallen and not player.out and not player.touches_ball


def test_a_player_is_beamed_in_its_own_frame(observer: Observer) -> None:
    observer.publisher(Beam, "/b/beam").publish(Beam(x=-3.0, y=2.0, theta=0.0))
    # Standing, it sways by less than a centimetre a second.
    team = newest(
        observer, TeamStatus, "game/right_team", lambda m: m.players and abs(m.players[0].pose.position.x - 3.0) < 0.05
    )
    assert team.players[0].pose.position.y == pytest.approx(-2.0, abs=0.05)
    # It looks toward -x: half a turn about z.
    assert abs(team.players[0].pose.orientation.z) == pytest.approx(1.0, abs=0.05)


def test_what_one_says_the_other_hears_and_what_is_refused_is_counted(observer: Observer) -> None:
    say = observer.publisher(Say, "/a/say")
    with observer.hear(Hear, "/b/hear") as other, observer.hear(Hear, "/a/hear") as own:
        # Who has subscribed just now may miss the first ones.
        observer.until(lambda: (other.messages and own.messages) or say.publish(Say(text="hello")), "to hear a hello")
    message = other.messages[0]
    assert (message.team, message.text, message.own) == ("Reds", "hello", False)
    assert own.messages[0].own
    for text in ("x" * 21, ")(GS (pm GameOver)", "x\n(syn", "ä"):
        say.publish(Say(text=text))
    newest(observer, DiagnosticArray, "/diagnostics", lambda m: "key='say of a: refused', value='4'" in str(m))
    assert {message.text for message in other.messages + own.messages} == {"hello"}


def test_decisions_are_published_with_evidence_and_can_be_overruled(observer: Observer) -> None:
    with observer.hear(RefereeEvent, "game/events") as events:
        answer = observer.call(KickOff, "game/kick_off", KickOff.Request(team=KickOff.Request.RIGHT_TEAM))
        assert answer.team == KickOff.Request.RIGHT_TEAM
        # Subscribers are looked for every fifth cycle, so the first decision may be missed.
        observer.until(lambda: events.subscription and observer.node.count_publishers("/game/events"), "events")
        observer.drain(0.3)
        observer.call(DropBall, "game/drop_ball")
        observer.until(lambda: any(e.kind == "drop_ball" for e in events.messages), "the drop ball")
        event = next(e for e in events.messages if e.kind == "drop_ball")
        assert (event.rule, event.play_mode, event.has_place) == ("trainer", "PlayOn", True)
        request = OverruleDecision.Request(number=event.number)
        assert observer.call(OverruleDecision, "game/overrule", request).result.result == Result.RESULT_OK
        observer.until(lambda: any(e.kind == "overruled" for e in events.messages), "the overruling")
        overruled = next(e for e in events.messages if e.kind == "overruled")
        assert dict(zip(overruled.evidence_names, overruled.evidence_values, strict=True)) == {"decision": event.number}
        assert overruled.play_mode == "KickOff_Right"
        again = observer.call(OverruleDecision, "game/overrule", request).result
        assert again.result == Result.RESULT_NOT_FOUND and "overruled already" in again.error_message


def test_mistakes_are_named(observer: Observer) -> None:
    name, bad = "the name of a team must have 1 to 32 printable ASCII", ("", "a b", "B)(x", "x" * 33, '"')
    calls = (
        (SetPlayMode, "game/set_play_mode", SetPlayMode.Request(play_mode="Playon"), "use one of: BeforeKickOff"),
        (KickOff, "game/kick_off", KickOff.Request(team=7), "not 7"),
        (JoinTeam, "game/join_team", JoinTeam.Request(entity="c", team="Reds"), "no entity 'c'"),
        (JoinTeam, "game/join_team", JoinTeam.Request(entity="a", team="Greens"), "two teams already"),
        *((JoinTeam, "game/join_team", JoinTeam.Request(entity="a", team=team, unum=1), name) for team in bad),
        (JoinTeam, "game/join_team", JoinTeam.Request(entity="a", team="Reds", unum=99), "99"),
    )
    for kind, service, request, named in calls:
        result = observer.call(kind, service, request).result
        assert result.result != Result.RESULT_OK and named in result.error_message


def test_numbers_of_the_rule_book_change_in_the_running_game(observer: Observer) -> None:
    refusal = observer.set_parameter("rule_book.game.half_time", -1.0)
    assert refusal == "rules: game: half_time must be above 0 and at most 1000000 s, not -1.0"
    assert "one of 'set_play', 'put_back'" in observer.set_parameter("rule_book.ball.out_reset", "gone")
    assert observer.set_parameter("rules", "msl") == "parameter 'rules' can be set only at the start"
    request = DescribeParameters.Request(names=["rule_book.game.half_time", "seed"])
    book, seed = observer.call(DescribeParameters, "/simulator/describe_parameters", request).descriptors
    assert book.description == "length of a half; in effect from the next cycle; can be set at any time"
    assert seed.description.endswith("can be set only at the start") and seed.read_only
    request = SetPlayMode.Request(play_mode="PlayOn")
    assert observer.call(SetPlayMode, "game/set_play_mode", request).result.result == Result.RESULT_OK
    assert observer.set_parameter("rule_book.game.single_half", True) == ""
    assert observer.set_parameter("rule_book.game.half_time", 0.1) == ""
    newest(observer, GameState, "game/state", lambda m: m.play_mode == "GameOver")
