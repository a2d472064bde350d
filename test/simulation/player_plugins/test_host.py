import pytest

from simspark_ros.arena import Arena
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action
from simspark_ros.simulation import assembly
from simspark_ros.simulation.assembly import PlugIns
from simspark_ros.simulation.loading.spawning import spawn_text
from simspark_ros.simulation.player_plugins.host import PLAYERS, PlayerHost, parse_player
from simspark_ros.simulation.player_plugins.player import PlayerPlugin
from simspark_ros.worlds.errors import CommandRejectedError


class Driver(PlayerPlugin):
    """Drives forward by its odometry until it has come 0.1 m, and says so."""

    def sense_and_act(self) -> None:
        odometry = self.body.sensors.get(feature="odometry_pose")
        self.body.sensors.update(odometry)
        self.heard = self.body.heard
        if odometry.stamp is not None and odometry.values[0] > 0.1:
            self.body.broadcast(f"{self.body.name} is there")
        self.body.command("wheels", 0.5, 0.0, 0.0)


class Broken(PlayerPlugin):
    def sense_and_act(self) -> None:
        raise ZeroDivisionError("of all things")


class Peeping(PlayerPlugin):
    def sense_and_act(self) -> None:
        self.position = self.world.engine.state.position


class Omniscient(Peeping):
    uses_world = True


@pytest.fixture
def hosted(play, monkeypatch):
    """A simulation on the planar engine with the players above among those there are, and its host."""
    own = {"driver": Driver, "broken": Broken, "peeping": Peeping, "omniscient": Omniscient}
    monkeypatch.setattr(assembly, "player_types", lambda: {**PLAYERS, **own})

    def make(**settings):
        played = play(engine="planar", world="msl", referee=False, **settings)
        played.host = played.simulation.node(PlayerHost)
        return played

    return make


def test_texts_name_a_player_and_its_options():
    assert parse_player("avoider") == ("", "avoider", {})
    parsed = parse_player("keeper=goalkeeper?policy=block&out=0.5")
    assert parsed == ("keeper", "goalkeeper", {"policy": "block", "out": 0.5})
    assert parse_player("a?b=true&c=-2&d=[[x")[2] == {"b": True, "c": -2, "d": "[[x"}
    for wrong in ("", "a=", "a?b", "a?b=1&b=2", "a?=1"):
        with pytest.raises(CommandRejectedError, match="player"):
            parse_player(wrong)


def test_a_player_senses_and_acts_with_a_robot_that_comes_and_goes_with_it(hosted):
    played = hosted()
    assert played.host.start("a=driver?x=1&y=2&heading_deg=90").name == "a"
    played.run(30)
    robot = played.world.robot_named("a")
    x, y, _ = played.world.engine.state.position[played.world.engine.state.row(robot.handle)]
    assert (x, y > 2.1) == (pytest.approx(1.0, abs=0.01), True)
    played.host.stop("a")
    played.run(1)
    assert played.world.robot_named("a") is None
    with pytest.raises(CommandRejectedError, match="no player 'a'"):
        played.host.stop("a")
    played.host.start("a=driver")
    played.world.remove_robot(played.world.robot_named("a"))
    played.run(1)
    assert not played.host.running


def test_a_trainer_starts_and_stops_players_and_a_robot_that_is_there_is_taken_and_stays(hosted):
    played = hosted()
    played.act(Action("t", "start_player", ("a=driver?y=1",)), Action("t", "start_player", ("b=driver?y=-1",)))
    assert list(played.host.running) == ["a", "b"]
    assert played.refusals(Action("t", "stop_player", ("c",))) == ["there is no player 'c'; there are: a, b"]
    played.act(Action("t", "stop_player", ("a",)))
    assert list(played.host.running) == ["b"]
    played.act(Action("t", "stop_player", ("",)))
    assert not played.host.running
    spawn_text(played.world, "mine=differential_sensors", played.simulation.scheduler.settings)
    played.host.start("mine=driver")
    with pytest.raises(CommandRejectedError, match="controlled already"):
        played.host.start("mine=driver")
    played.run(3)
    played.host.stop("mine")
    assert played.world.robot_named("mine") is not None and not played.world.velocity_commands


def test_messages_reach_all_others_in_the_next_cycle(hosted):
    played = hosted(players=("a=driver?y=1", "b=driver?y=-1"))
    players = [one.player for one in played.host.running.values()]
    for _ in range(60):
        played.run(1)
        if players[0].body.said:
            break
    assert not players[1].heard
    played.run(1)
    assert players[1].heard[0] == ("a", "a is there") and all(sender != "a" for sender, _ in players[0].heard)
    with pytest.raises(CommandRejectedError, match="1024"):
        players[0].body.broadcast("x" * 1025)


def test_a_player_that_fails_is_stopped_and_only_those_that_declare_it_get_the_world(hosted):
    played = hosted(players=("bad=broken", "good=driver"))
    notices = played.run(1).notices
    assert ["ZeroDivisionError: of all things" in one.text and "'bad'" in one.text for one in notices] == [True]
    played.run(5)
    assert list(played.host.running) == ["good"]
    played = hosted(players=("a=omniscient", "b=peeping"))
    assert "uses_world" in played.run(1).notices[0].text and list(played.host.running) == ["a"]
    with pytest.raises(CommandRejectedError, match="fair_players"):
        hosted(fair_players=True).host.start("omniscient")


def test_a_program_brings_players_of_its_own():
    with Arena(engine="planar", world="msl", players=("own",), plug_ins=PlugIns(players={"own": Driver})) as arena:
        arena.step()
        host = arena.simulation.node(PlayerHost)
        assert host is not None and isinstance(host.running["own"].player, Driver)


def test_what_cannot_be_started_is_refused_with_the_reason_and_leaves_nothing(hosted):
    with pytest.raises(ConfigurationError, match="players: unknown player 'dreamer'"):
        hosted(players=("dreamer",))
    played = hosted()
    for text, reason in (
        ("avoider?speed=fast", "speed"),
        ("avoider?colour=red", "colour"),
        ("avoider?speed=nan", "speed"),
        ("avoider?robot=nowhere.yaml", "nowhere.yaml"),
        ("avoider?robot=omni", "no sensor of ranges"),
        ("mapper?step=0.01&headings=360", "use larger steps"),
        ("a-b=avoider", "ROS name"),
    ):
        with pytest.raises(CommandRejectedError, match=reason):
            played.host.start(text)
        assert not played.host.running and not played.world.robots
