"""Doors of drivers, of the GameController and of the viewer: what they send, and that a dead one is noticed."""

import contextlib
import random
import socketserver
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from simspark_ros.protocol.framing import FramingError
from simspark_ros.protocol.lola.commands import read_commands
from simspark_ros.protocol.lola.messagepack import MessageCutter, MessagePackReader
from simspark_ros.protocol.lola.sensors import SIZE
from simspark_ros.server.game_controller.server import GameController
from simspark_ros.server.game_controller.settings import GameControllerOptions
from simspark_stress.fuzz.doors import game_controller, lola
from simspark_stress.fuzz.doors.game_controller import GAME_CONTROLLER, GameControllerDoor
from simspark_stress.fuzz.doors.lola import LOLA, ROBOTS, LolaDoor
from simspark_stress.fuzz.doors.messagepack import compact
from simspark_stress.fuzz.doors.viewer import VIEWER, ViewerDoor
from simspark_stress.fuzz.server import Server
from test.conftest import Played
from test.rigs.waiting import until
from watching.test.viewer.conftest import PaperServer, viewing


def sent(seed: int, quiet: bool) -> dict[str, bytes]:
    data: dict[str, bytes] = defaultdict(bytes)
    for verb, *arguments in LOLA.draw(random.Random(seed), quiet):
        if verb == "packed":
            data[arguments[0]] += compact(arguments[1])
        elif verb == "raw":
            data[arguments[0]] += arguments[1].encode("latin-1")
    return data


def read(data: bytes) -> tuple[int, int]:
    """How many commands a stream has, and how many that are refused."""
    try:
        messages = MessageCutter(4096).feed(data)
    except FramingError as error:
        messages = error.messages
    found = [read_commands(message) for message in messages]
    return sum(len(one.commands) for one in found), sum(len(one.refused) for one in found)


def test_drivers_send_commands_refused_ones_and_what_is_no_messagepack_packed_as_they_do():
    streams = [data for seed in range(60) for data in sent(seed, False).values()]
    counts = [read(data) for data in streams]
    assert min(np.count_nonzero(counts, axis=0)) > 20
    assert {name.split()[0] for seed in range(20) for name in sent(seed, False)} == set(ROBOTS)
    # Quiet ones command nothing.
    assert not any(read(data)[0] for seed in range(100) for data in sent(seed, True).values())
    values: dict[str, Any] = {"Position": [0.5, 1, -2, 2**63], "x" * 300: [True, None, "y", 1e300]}
    reader = MessagePackReader(compact(values))
    assert reader.entries() == 2
    for key, value in values.items():
        assert reader.value() == key and reader.value() == value
    assert compact({"a": [0.5]}) == b"\x81\xa1a\x91\xca\x3f\0\0\0"


class Driven(socketserver.BaseRequestHandler):
    """Sends sensors at once, and again after an answer."""

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            self.request.sendall(bytes(SIZE))
        # A driver leaves when it likes; what it has sent before is heard.
        with contextlib.suppress(OSError):
            while data := self.request.recv(4096):
                HEARD[Path(str(self.server.server_address)).name] += data
                with contextlib.suppress(OSError):
                    self.request.sendall(bytes(SIZE))


HEARD: dict[str, bytes] = defaultdict(bytes)
"""Bytes that the sockets of robots have heard, by their names."""


@pytest.fixture
def sockets(tmp_path: Path) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for robot in ROBOTS:
            server = stack.enter_context(socketserver.ThreadingUnixStreamServer(str(tmp_path / robot), Driven))
            server.daemon_threads = True
            (thread := threading.Thread(target=server.serve_forever, args=(0.01,))).start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
        yield


@pytest.mark.usefixtures("sockets")
def test_messages_go_to_the_socket_of_their_robot_and_a_dead_socket_is_a_fault(tmp_path, monkeypatch):
    door = LolaDoor(cast("Server", SimpleNamespace(options=("--headless", f"--lola={tmp_path}"))))
    assert door.fault() == ""
    steps = (["read", "other 0", 0.3], ["packed", "other 0", {"Chest": [1.0]}, [3, 5], 0.0], ["read", "other 0", 0.3])
    door.play((*steps, ["close", "other 0"]))
    until(lambda: HEARD["other"].endswith(compact({"Chest": [1.0]})))
    assert b"Chest" not in HEARD["driven"]
    (tmp_path / "other").unlink()
    monkeypatch.setattr(lola, "PATIENCE", 0.05)
    assert "other: the server takes no driver" in door.fault()


def test_robots_answer_well_and_badly_and_silence_is_a_fault(played: Played, monkeypatch, request):
    options = GameControllerOptions(game_controller="spl", game_controller_port=1, game_controller_return_port=0)
    controller = GameController(options, lambda text: None)
    request.addfinalizer(controller.close)
    played.simulation.add_node(controller)
    address = "127.0.0.1", controller.return_port
    server = SimpleNamespace(options=("--game-controller-port=0",), address=lambda port: address)
    door = GameControllerDoor(cast("Server", server))
    for seed in range(60):
        door.play(tuple(step for step in GAME_CONTROLLER.draw(random.Random(seed), False) if step[0] == "answer"))
        played.run(1)
    assert len(controller.answers) >= 4 and controller.malformed > 60
    # Nobody sends to the port on which this door listens.
    monkeypatch.setattr(game_controller, "PATIENCE", 0.05)
    assert "do not get the state of the game" in door.fault()


def test_cases_address_the_elements_of_the_page_and_it_goes_on():
    pytest.importorskip("viser", reason="viser is not installed")
    server = PaperServer()
    with viewing(server.port) as viewer:
        door = ViewerDoor(cast(Server, SimpleNamespace(ports={"viewer": viewer.url})))
        gui = viewer._page._server.gui
        assert set(gui._gui_input_handle_from_uuid) < set(door.elements)
        for seed in range(20):
            door.play(tuple(VIEWER.draw(random.Random(seed), False)))
        assert door.fault() == ""
        assert gui._current_file_upload_states == {}
        # A browser with the token uses the panel, and is no stranger.
        follow = viewer._page._follow
        use = {"type": "GuiUpdateMessage", "uuid": follow._impl.uuid, "updates": {"value": "ball"}}
        door.play((["page", 0], ["read", 0, 0.1], ["packed", 0, use], ["close", 0]))
        until(lambda: follow.value == "ball")
    server.close()


def test_browsers_use_the_panel_click_drag_press_keys_set_attributes_and_upload():
    steps = [step for seed in range(300) for step in VIEWER.draw(random.Random(seed), False)]
    values = [step[2] for step in steps if step[0] == "packed" and isinstance(step[2], dict)]
    uses = [value.get("updates", ()) for value in values if str(value.get("uuid")).startswith("element ")]
    assert {"value", "props"} <= {name for updates in uses for name in updates}
    drawn = {value["type"] for value in values}
    assert {"SceneNodeClickMessage", "TransformControlsUpdateMessage", "CommandTriggerMessage"} <= drawn
    assert any(step[0] == "page" for step in steps)
    uploads = {value["type"] for value in values if str(value.get("source_component_uuid")).startswith("element ")}
    assert uploads == {"FileTransferStartUpload", "FileTransferPart"}
