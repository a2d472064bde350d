"""Pictures for classic agents, by a profile that has them."""

import base64
import os
import re
import signal
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pytest

from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Percepts
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.agent.profile import PictureFormat, load_profile
from simspark_ros.rendering.scene_models import line_of_model
from simspark_ros.server.pictures.process import PictureDrawer
from simspark_ros.server.pictures.source import AgentPictures, PictureRequest, robots_of
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer.settings import load_soccer_settings
from test.rigs.messages import percepts
from test.rigs.stub_world import Lines
from test.rigs.waiting import until
from test.rigs.witness import port, serve

FORM = load_profile("pictures").pictures
STRUCTURE = percepts.layout(["agent-1", ""])
MESSAGE = re.compile(rb"\(IMG \(s (\d+) (\d+)\) \(d ([A-Za-z0-9+/=]+)\)\)$")


def picture_of(message: bytes) -> np.ndarray[Any, np.dtype[np.uint8]]:
    found = MESSAGE.search(message)
    assert found
    width, height = int(found[1]), int(found[2])
    return np.frombuffer(base64.b64decode(found[3]), np.uint8).reshape(height, width, 3)


def state(cycle: int) -> Percepts:
    return percepts.percepts(STRUCTURE, cycle)


@pytest.fixture
def ends() -> Iterator[tuple[AgentPictures, Connection, Lines]]:
    """What asks for pictures at 10 Hz, and the end of the process that draws."""
    ours, its = Pipe()
    warnings = Lines()
    pictures = AgentPictures(ours, 10.0, lambda: [], load_soccer_settings, warnings)
    yield pictures, its, warnings
    its.close()
    pictures.close()


def test_no_cycle_waits_for_pictures_and_each_is_handed_over_once(ends: tuple[Any, ...]) -> None:
    pictures, its, _ = ends
    assert pictures.wants_poses
    assert pictures.exchange(state(5)) == {} and not pictures.wants_poses
    assert pictures.exchange(state(10)) == {}
    request = its.recv()
    assert request.time == pytest.approx(0.1)
    assert [robot.name for robot in request.robots] == [str(STRUCTURE.robots[0].handle), ""]
    its.send({10: "(picture)"})
    drawn: dict[int, str] = {}
    until(lambda: drawn.update(pictures.exchange(state(11))) is None and bool(drawn))
    assert drawn == {10: "(picture)"}
    # The period of that state has had its picture only when another one has begun.
    assert its.recv().time == pytest.approx(0.22) and not its.poll()
    assert pictures.exchange(state(12)) == {}


def test_what_draws_is_told_the_world_whenever_it_is_another_one() -> None:
    ours, its = Pipe()
    worlds = [load_soccer_settings(), load_soccer_settings("empty")]
    with closing(AgentPictures(ours, 10.0, lambda: [], lambda: worlds[0], Lines())) as pictures, closing(its):
        told = []
        for cycle in (5, 10, 15):
            pictures.exchange(state(cycle))
            told.append(its.recv().world)
            its.send({1: "(picture)"})
            until(partial(pictures.exchange, state(cycle)))
            if cycle == 10:
                del worlds[0]
    assert told == [load_soccer_settings(), None, load_soccer_settings("empty")]


def test_agents_play_on_without_pictures_when_the_process_has_ended(ends: tuple[Any, ...]) -> None:
    pictures, its, warnings = ends
    its.close()
    pictures.exchange(state(5))
    until(lambda: not pictures.exchange(state(6)) and warnings.lines)
    assert "no more pictures" in warnings.lines[0] and not pictures.wants_poses
    assert pictures.exchange(state(20)) == {}


def test_what_the_camera_sees_is_drawn_in_the_size_of_the_profile(play: Any) -> None:
    played = play()
    handle = played.join()
    played.world.place_ball((1.5, 0.0))
    robot = played.world.robots[handle]
    played.world.place(robot, 0.0, 0.0, 0.4, 0.0)
    poses = played.simulation.sensing.shown(played.world, played.simulation.percepts).poses
    assert FORM and poses
    robots = robots_of(played.simulation.percepts.layout)
    with closing(PictureDrawer(FORM, played.world.settings, pytest.fail, SimulationSettings())) as drawer:
        text = drawer.draw(PictureRequest(1.0, robots, poses, line_of_model(robot.description)))[handle]
    picture = picture_of(text.encode())
    assert picture.shape == (120, 160, 3)
    red, _, blue = picture.reshape(-1, 3).astype(int).T
    assert ((red > 150) & (red - blue > 80)).sum() > 20, "the ball"
    # The first row is the upper one.
    assert picture[-1, :, 1].mean() > picture[-1, :, 2].mean() + 30 and picture[0, :, 2].mean() > 150


def test_noise_of_pictures_depends_on_the_seed(play: Any) -> None:
    played = play()
    handle = played.join()
    description = played.world.robots[handle].description
    noise = {"noise": 20.0, "width": 8, "height": 6}
    noisy = [replace(one, parameters={**one.parameters, **noise}) for one in description.perceptors]
    cameras = tuple(one for one in noisy if one.kind == "camera")
    robots = robots_of(played.simulation.percepts.layout)
    poses = played.simulation.sensing.shown(played.world, played.simulation.percepts).poses
    assert FORM and poses
    form, line = replace(FORM, width=0, height=0), line_of_model(replace(description, perceptors=cameras))

    def drawn(seed: int) -> str:
        with closing(PictureDrawer(form, played.world.settings, pytest.fail, SimulationSettings(seed=seed))) as drawer:
            return str(drawer.draw(PictureRequest(1.0, robots, poses, line))[handle])

    assert drawn(1) == drawn(1) != drawn(2)


def test_pictures_are_the_end_of_an_agents_message() -> None:
    encoder, handle = AgentEncoder(load_profile("pictures")), STRUCTURE.robots[0].handle
    plain, message = (encoder.encode(state(1), drawn)["agent-1"] for drawn in ({}, {handle: "(IMG)"}))
    assert message[4:] == plain[4:] + b"(IMG)" and int.from_bytes(message[:4], "big") == len(message) - 4


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"format": "(IMG {size} {data})"}, "use braces only in"),
        ({"format": "(IMG)"}, "must be present"),
        ({"format": "{data}", "width": 641}, "width must be at least 0 and at most 640"),
        ({"format": "{data}", "rate": 0.0}, "rate must be above 0"),
    ],
)
def test_what_a_profile_cannot_have_is_refused_by_name(values: dict[str, Any], named: str) -> None:
    with pytest.raises((ValueError, ConfigurationError), match=re.escape(named)):
        PictureFormat(**values)


def received(client: ClassicClient) -> bytes:
    """The next message with a picture that an agent gets."""
    for _ in range(5000):
        message = client.receive()
        client.send("(syn)")
        if b"(IMG " in message:
            return message
    raise AssertionError("no picture came")


def plays_without_pictures(client: ClassicClient) -> None:
    """No message waits for one; the last that was drawn may still come."""
    messages = []
    for _ in range(20):
        messages.append(client.receive())
        client.send("(syn)")
    assert sum(b"(IMG " in message for message in messages) <= 1


@pytest.mark.slow
def test_an_agent_of_a_server_gets_pictures_by_the_profile_and_plays_on_without_them() -> None:
    with (
        serve("--profile=pictures", "--speed=1") as server,
        ClassicClient("127.0.0.1", port(server, "agents")) as client,
    ):
        client.send("(scene rsg/agent/nao/nao.rsg)(syn)")
        client.send("(init (unum 1) (teamname Red))(syn)")
        message = received(client)
        assert message.startswith(b"(time ") and picture_of(message).shape == (120, 160, 3)
        process = server.child("pictures.process")
        os.kill(process, signal.SIGSTOP)
        plays_without_pictures(client)
        os.kill(process, signal.SIGKILL)
        server.wait_for_line("pictures: has ended by signal 9; the match goes on without pictures for agents")
        plays_without_pictures(client)
        assert server.end() == 0 and "Traceback" not in server.output
