"""Drawings of agents on their way from a UDP socket to those who watch."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from simspark_ros.server.agents.drawings import ABOVE, AgentDrawings
from simspark_ros.server.tcp.ports import PortError
from simspark_ros.simulation.drawings import Drawing
from test.protocol.test_rvdraw import RED, line, swap


class Drawn:
    def __init__(self, played, stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("simspark_ros.server.agents.drawings.PERIOD", 0.0)
        self.played = played
        self.log: list[str] = []
        self.node = AgentDrawings("127.0.0.1", 0, self.log.append)
        self.node.attach(played.simulation, stack)
        self._socket = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))

    def after(self, *packets: bytes) -> Drawing | None:
        """The drawing after a cycle; datagrams on this machine arrive before `sendto` returns."""
        for packet in packets:
            self._socket.sendto(packet, ("127.0.0.1", self.node.port))
        self.played.run(1)
        return next((one for _, name, one in self.played.simulation.drawings.since(0) if name == "agents"), None)


@pytest.fixture
def drawn(played, monkeypatch) -> Iterator[Drawn]:
    with ExitStack() as stack:
        yield Drawn(played, stack, monkeypatch)


PATH = line("A.path", 0.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def test_shapes_show_from_the_swap_of_their_set_to_the_next(drawn):
    shown = drawn.after(PATH, line("B", 0.0, 0.0, 0.0, 0.0, 1.0, 0.0))
    assert shown is not None and shown.is_empty
    shown = drawn.after(swap("A"))
    assert shown is not None and shown.segments.tolist() == [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]]
    assert shown.segment_colours.tolist() == [[255, 0, 0]]
    shown = drawn.after(PATH, PATH, swap())
    assert shown is not None and len(shown.segments) == 3
    shown = drawn.after(swap("A"))
    assert shown is not None and len(shown.segments) == 1


def test_a_label_follows_its_player_until_it_is_cleared(drawn):
    drawn.played.join("me", "Reds", 7)
    shown = drawn.after(bytes((2, 1, 6)) + RED + b"keeper\0")
    position = drawn.played.world.engine.state.position[0]
    assert shown is not None and [text for *_, text in shown.texts] == ["keeper"]
    assert shown.texts[0][:3] == pytest.approx((*position[:2], position[2] + ABOVE))
    shown = drawn.after(bytes((2, 2, 6)))
    assert shown is not None and shown.is_empty


def test_a_label_goes_with_its_player(drawn):
    label, played = bytes((2, 1, 6)) + RED + b"keeper\0", drawn.played
    drawn.after(label)
    played.join("me", "Reds", 7)
    shown = drawn.after()
    assert shown is not None and shown.is_empty, "the label came before the player"
    shown = drawn.after(label)
    assert shown is not None and len(shown.texts) == 1
    played.world.remove_robots([played.world.robot_of("me")])
    drawn.after()
    played.join("you", "Reds", 7)
    shown = drawn.after()
    assert shown is not None and shown.is_empty


def test_wrong_datagrams_are_counted_and_told_once(drawn):
    shown = drawn.after(PATH + swap() + b"\x09", b"nonsense")
    assert shown is not None and len(shown.segments) == 1
    assert drawn.node.malformed == 2 and sum("is wrong" in text for text in drawn.log) == 1


def test_more_shapes_than_can_be_shown_are_dropped(drawn, monkeypatch):
    monkeypatch.setattr("simspark_ros.server.agents.drawings.MOST_SHAPES", 3)
    shown = drawn.after(PATH * 5 + swap())
    assert shown is not None and len(shown.segments) == 3
    shown = drawn.after(swap(), PATH + swap())
    assert shown is not None and len(shown.segments) == 1


def test_a_port_that_is_taken_is_named_with_the_remedy(drawn):
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as other:
        other.bind(("127.0.0.1", 0))
        with pytest.raises(PortError, match=r"cannot use UDP port \d+.*--draw-port"):
            AgentDrawings("127.0.0.1", other.getsockname()[1], print)
