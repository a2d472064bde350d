"""The demonstration team over real sockets: joins, walks to the ball, ends with the server."""

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simspark_ros.cli import main
from simspark_ros.clients import agent, team
from simspark_ros.clients.session import Registration, Session, run_sessions
from simspark_ros.clients.team import run_team
from simspark_ros.clients.team_settings import TeamOptions
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.players.team import Reacting, team_player, type_of
from simspark_ros.players.team_settings import load_team_settings
from simspark_ros.robots.types.random_types import RobotTypes
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Teams
from simspark_ros.soccer.world import SoccerWorld
from test.clients.team_rig import stadium

GUIDE = Path(__file__).parents[2] / "docs" / "tutorials" / "write_an_agent.md"

TIME_TO_BEAM = 100
"""Cycles before play begins."""


def ball_has_moved(world: SoccerWorld, distance: float = 0.2) -> bool:
    if world.cycle > TIME_TO_BEAM:
        world.game.set_play_mode(PlayMode.PLAY_ON)
    return bool(np.linalg.norm(world.engine.state.ball_position[:2]) > distance)


@pytest.mark.slow
def test_a_team_joins_walks_to_the_ball_and_plays_it(capsys):
    with stadium(2, ball_has_moved) as place:
        status = run_team(TeamOptions("Red", port=place.port, players=2, first_number=3))
    assert place.met
    assert status == 0
    out = capsys.readouterr().out
    assert "left 3 plays" in out and "left 4 plays" in out
    assert re.search(r"Red: \d+ answers", out)


@pytest.mark.slow
def test_a_player_on_wheels_alone_takes_the_ball_from_the_centre_and_scores():
    changes = ("rules.game.automatic_kick_off=true", "rules.game.wait_before_kick_off=1")
    settings: dict[str, Any] = {"world": "msl", "engine": "planar", "profile": "leagues", "changes": changes}
    with stadium(1, lambda world: world.game.play_mode is PlayMode.GOAL_LEFT, **settings) as place:
        options = TeamOptions("Red", port=place.port, players=1, first_number=6, robot="msl", world="msl")
        assert run_team(options) == 0
    assert place.met


def test_a_team_waits_for_a_server_that_is_about_to_start(monkeypatch):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        options = TeamOptions("Red", port=server.getsockname()[1], players=1, first_number=3, wait=60.0)
        pauses: list[float] = []

        def start(seconds: float) -> None:
            pauses.append(seconds)
            server.listen()

        monkeypatch.setattr(time, "sleep", start)
        player = team_player("Red", 3, load_team_settings())
        session = team._connected(player, Registration("Red", 3, 0), options, time.monotonic() + options.wait)
        session.close()
    assert len(pauses) == 1


def test_a_team_that_is_interrupted_twice_ends_well():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        command = [sys.executable, "-m", "simspark_ros.cli", "team", "Red", "--players", "1", "--port", port]
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        server.settimeout(60.0)
        connection, _ = server.accept()
        # A terminal and `ros2 launch` in it send one each; launch reports any status but 0 as a process that died.
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        with connection:
            _, errors = process.communicate(timeout=60.0)
    assert process.returncode == 0, errors.decode()
    assert not errors


@pytest.mark.slow
def test_the_guides_first_agent_walks_to_the_ball(monkeypatch):
    code = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)[0]
    assert len([line for line in code.splitlines() if line]) <= 5

    def is_near(world: SoccerWorld) -> bool:
        state = world.engine.state
        return bool(np.linalg.norm(state.position[0][:2] - state.ball_position[:2]) < 1.0)

    with stadium(1, is_near) as place:
        start = agent.Pose(-2.5, 1.0, 0.5)
        monkeypatch.setattr(agent, "play", partial(agent.play, port=place.port, start=start))
        exec(code, {})
    assert place.met


def test_the_guides_second_agent_nods(monkeypatch):
    code = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)[1]
    tilts = []

    def nods(world: SoccerWorld) -> bool:
        robot = next(iter(world.robots.values()))
        names = [joint.name for joint in robot.description.model.joints]
        tilts.append(float(world.engine.state.joint_position[names.index("hj2")]))
        return max(tilts) - min(tilts) > 0.3

    with stadium(1, nods) as place:
        monkeypatch.setattr(agent, "run", partial(agent.run, port=place.port))
        exec(code, {})
    assert place.met


def test_an_agent_that_is_not_let_in_ends_with_an_error_that_says_what_to_do():
    with stadium(2, lambda world: False) as place:
        idle = Reacting(lambda percept: {})
        first = [Session(idle, Registration(name, 1), "127.0.0.1", place.port) for name in "AB"]
        others = threading.Thread(target=run_sessions, args=(first,))
        others.start()
        while others.is_alive() and not all(session.became for session in first):
            others.join(0.01)
        with pytest.raises(agent.NotAcceptedError, match=r"no place for Third 2: .* its log says why.*Lions"):
            agent.run(lambda percept: {}, "Third", 2, port=place.port)
    others.join(30.0)


def test_an_agent_and_a_team_without_a_server_end_with_one_line(capsys):
    with pytest.raises(agent.NotAcceptedError, match=r"no server at 127\.0\.0\.1:1"):
        agent.run(lambda percept: {}, "Red", port=1)
    assert main(["team", "Red", "--port", "1", "--players", "1"]) == 1
    assert "no server at 127.0.0.1:1" in capsys.readouterr().err


def test_a_team_in_one_process_plays_until_it_returns_no_command(capsys):
    def think(me: agent.WorldModel) -> Any:
        return agent.Stand() if me.time < 0.5 else None

    with stadium(2, lambda world: False) as place, pytest.raises(SystemExit, match="returned None; return"):
        agent.play_team(think, "Own", (4, 5), port=place.port)
    assert {f"Own: left {unum} plays" for unum in (4, 5)} == set(capsys.readouterr().out.splitlines())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Red", "--first-number", "9", "--players", "4"], "first_number 9 and players 4: a team has"),
        (["Red", "--tactics", "nowhere.yaml"], "nowhere.yaml: cannot be read"),
        (["Red (1)"], "only letters"),
    ],
)
def test_wrong_options_are_refused_by_name(arguments, message, capsys):
    assert main(["team", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_the_teams_types_are_accepted_in_any_order_of_joining_and_players_have_the_bodies_that_were_drawn():
    types = load_team_settings().types
    for order in (range(1, 12), range(11, 0, -1), (2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11)):
        teams = Teams()
        for unum in order:
            teams.register("Red", unum, types[unum - 1])
    assert max(Counter(types).values()) <= 7
    random_types, tactics = RobotTypes(1, 3, ("nao",)), load_team_settings()
    drawn = team.drawn_types(json.dumps(random_types.as_json()))
    assert drawn == random_types.of("nao") and team.drawn_types("") == ()
    assert [type_of(unum, tactics, drawn) for unum in range(1, 12)] == [kind % 3 for kind in tactics.types]
    assert [type_of(unum, tactics, ()) for unum in range(1, 12)] == list(tactics.types)


@pytest.mark.parametrize(
    "text", ["x", "[]", "{}", '{"nao": [{"number": 1, "body": 0, "parameters": {}}]}', '{"nao": [1]}']
)
def test_types_that_no_server_tells_are_refused(text):
    with pytest.raises(ConfigurationError, match="--robot-types: copy the value of `robot_types`"):
        run_team(TeamOptions("Red", robot_types=text))
