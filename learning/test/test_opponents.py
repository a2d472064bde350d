"""Opponents that are written by hand, in the worlds of learners."""

from typing import Any

import numpy as np
import pytest

from simspark_learning.episodes import Episodes
from simspark_learning.opponents import Opponents
from simspark_learning.worlds import Wish, make_episodes
from simspark_ros.arena import Arena
from simspark_ros.configuration.errors import UserError
from simspark_ros.motion.interface import Command, Walk
from simspark_ros.players.world_model import WorldModel
from simspark_ros.simulation.assembly import PlugIns
from simspark_ros.simulation.player_plugins.player import PlayerPlugin


def think(me: WorldModel) -> Command:
    return Walk(0.5, 0.0, me.ball.place.bearing) if me.ball.place else Walk(turn=0.8)


def followed(episodes: Episodes, seed: int) -> list[bytes]:
    """All observations of two episodes of random actions, the second in the same world."""
    random = np.random.default_rng(7)
    came = [episodes.begin(seed).tobytes()]
    for number in range(10):
        if number == 5:
            came.append(episodes.restart(np.arange(1)).tobytes())
        came.append(episodes.step(random.uniform(-1.0, 1.0, (1, episodes.action_size))).observation.tobytes())
    return came


@pytest.mark.parametrize(
    ("task", "observation", "opponents"),
    [("score", "percepts", ("goalkeeper?policy=mixed", "demo", think)), ("kick", "truth", "demo")],
)
def test_equal_seeds_repeat_opponents_too(begin, task: str, observation: Any, opponents: Any) -> None:
    episodes = begin(task, observation=observation, opponents=opponents)
    first = followed(episodes, 1)
    assert followed(episodes, 1) == first
    assert followed(episodes, 2) != first


def test_learners_observe_their_opponents(begin) -> None:
    truth, percepts = begin("score"), begin("score", observation="percepts")
    known, seen = truth.begin(1)[0], percepts.begin(1)[0]
    assert not seen.any()
    for _ in range(3):
        known = truth.step(np.zeros((1, 4))).observation[0]
        seen = percepts.step(np.zeros((1, 4))).observation[0]
    arena, line = truth.batch.arena, truth.task._line
    keeper, robot = arena["right_1"].position, arena["robot_0"]
    # It guards the goal of its team, and both observe it there.
    assert line - 1.0 < keeper[0] < line
    assert known[8:10] == pytest.approx(((keeper - robot.position) @ robot.rotation)[:2], abs=1e-6)
    assert seen[19] == 1.0 and seen[20:22] == pytest.approx(known[8:10], abs=0.3)


def test_a_goal_is_worth_more_than_a_ball_that_goes_out(begin) -> None:
    episodes = begin("score", opponents=())
    line = episodes.task._line
    gained = []
    for y in (0.0, 3.0):
        episodes.begin(1)
        episodes.batch.arena.place_ball(line - 0.2, y, (5.0, 0.0, 0.0))
        for _ in range(10):
            step = episodes.step(np.zeros((1, 4)))
            if step.over[0]:
                break
        gained.append((float(step.reward[0]), bool(step.terminated[0]), bool(step.success[0])))
    assert gained[0][0] > 0.9 and gained[0][1:] == (True, True)
    assert gained[1][0] < -0.9 and gained[1][1:] == (True, False)


def test_a_robot_behind_the_ball_shoots_again_when_an_episode_begins(begin) -> None:
    episodes = begin("score", opponents=(), speed=5.0)
    task, arena = episodes.task, episodes.batch.arena
    for _ in range(2):
        episodes.restart(np.arange(1))
        task.stand_at(0, task._line - 3.0, 0.0, 0.0)
        arena.place_ball(task._line - 2.72, 0.0)
        episodes.step(np.array([[0.0, 0.0, 0.0, 1.0]]))
        assert arena.ball.velocity[0] == pytest.approx(5.0, rel=0.15)


def test_a_kick_past_a_keeper_is_a_success_in_the_goal_alone(begin) -> None:
    episodes = begin("kick", opponents="goalkeeper?policy=block")
    arena = episodes.batch.arena
    half = arena.world.settings.field.length / 2.0
    assert (
        arena["robot_0"].position[0] == pytest.approx(half - 3.0, abs=0.1) and arena["right_1"].position[0] > half - 1.0
    )
    arena.place_ball(half - 0.2, 0.8)
    assert not episodes.step(np.zeros((1, 10))).over[0]
    arena.place_ball(half + 0.2, 0.8)
    assert episodes.step(np.zeros((1, 10))).success[0]
    episodes.restart(np.arange(1))
    arena.world.engine.place_ball((half + 0.2, 0.8, 1.2))
    above = episodes.step(np.zeros((1, 10)))
    assert above.terminated[0] and not above.success[0]


def test_opponents_that_cannot_be_are_refused() -> None:
    def refused(task: str, **options: Any) -> str:
        with pytest.raises(UserError) as error:
            make_episodes(Wish(task, options=options), 2, 2 if callable(options["opponents"]) else 1)
        return str(error.value)

    assert "task 'stand' has no opponents; leave `opponents` out, or take kick, score or a game" in refused(
        "stand", opponents="demo"
    )
    assert "unknown player 'keeper'; use one of" in refused("score", opponents="keeper")
    assert "unknown key 'polcy'" in refused("score", opponents="goalkeeper?polcy=block")
    assert "leave its name out" in refused("score", opponents="k=goalkeeper")
    assert "robot 'omni_sensors' has no kicker" in refused("score", opponents=(), robot="omni_sensors")
    assert "must be at the top level of a module" in refused("score", opponents=lambda me: Walk())


def test_an_opponent_that_fails_ends_the_training_instead_of_standing_there() -> None:
    class Broken(PlayerPlugin):
        def sense_and_act(self) -> None:
            raise ValueError("broken")

    with Arena(engine="planar", world="msl", referee=False, plug_ins=PlugIns(players={"broken": Broken})) as arena:
        opponents = Opponents(arena, ("broken",), "msl")
        opponents.begin([(1.0, 0.0, 0.0)])
        arena.step()
        with pytest.raises(UserError, match="opponent 'right_1=broken' has failed or finished"):
            opponents.begin([(1.0, 0.0, 0.0)])
        arena.reset()
        opponents.begin([(1.0, 0.0, 0.0)])
