"""The viewer between a server and browsers; the browser here is a program that counts what it is sent."""

import socket
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from urllib.request import urlopen

import numpy as np
import pytest

from simspark_ros.protocol.monitor.inspection import ReplayProgress, WorldShown, write
from simspark_ros.robots.lights import lights_text
from simspark_ros.server.viewer_settings import ViewerSettings
from simspark_ros.soccer.settings import read_world, text_of_world
from simspark_watching.broadcast import director
from simspark_watching.broadcast.tv_camera import HEIGHT
from test.rigs.waiting import until
from watching.test.broadcast.scenes import BALL, frame, percepts, robot
from watching.test.viewer.conftest import CAMERA, browser, messages, viewing

pytest.importorskip("viser", reason="viser is not installed")


def test_the_viewer_connects_only_while_a_browser_is_there(server):
    with viewing(server.port) as viewer:
        with urlopen(viewer.url, timeout=10.0) as answer:
            assert b"<html" in answer.read()
        assert server.joined == 0, "no browser yet"
        with browser(viewer.url) as page:
            until(lambda: viewer.pictures > 5)
            page.recv(timeout=10.0)
            assert server.connected == 1
        until(lambda: server.connected == 0)
        before = viewer.pictures
        with browser(viewer.url):
            until(lambda: viewer.pictures > before + 5)
        assert server.joined == 2 and server.heard == 2 * ["(frameRate 25)", "(inspect)"]


def test_pictures_are_not_more_than_they_may_be(server):
    with viewing(server.port, rate=5.0) as viewer, browser(viewer.url):
        until(lambda: viewer.pictures > 1)
        started, before, shown = time.monotonic(), viewer.pictures, server.shown
        until(lambda: server.shown > shown + 40)
        # One picture may have been due at the start, and two are made up for after a pause of the page's thread.
        assert viewer.pictures - before <= (time.monotonic() - started) * 5.0 + 3


def test_it_waits_for_a_server_and_for_the_next_one(server):
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        free = reserved.getsockname()[1]
    with viewing(free) as viewer, browser(viewer.url):
        until(lambda: viewer.lines)
        assert f"no server at 127.0.0.1:{free}" in viewer.lines[0] and viewer.pictures == 0
    with viewing(server.port) as viewer, browser(viewer.url):
        until(lambda: viewer.pictures > 0)
        server.close()
        until(lambda: viewer.lines)
        assert f"127.0.0.1:{server.port}" in viewer.lines[0]


def test_a_world_without_soccer_has_neither_ball_nor_score(server):
    with viewing(server.port, world="obstacles") as viewer, browser(viewer.url):
        until(lambda: viewer.pictures > 1)
        assert viewer._page.stage.objects.ball is None and viewer._page.stage.objects.robots
        board = viewer._page._board.content
        assert "00:" in board and "simspark-team" not in board and "simspark-score" not in board
        assert not any(element.visible for element in viewer._page._soccer)
        server.extra.append(write(WorldShown(text_of_world(read_world(None)))))
        until(lambda: viewer._page.stage.objects.ball is not None)
        until(lambda: "simspark-score" in viewer._page._board.content)
        assert len(viewer._page._soccer) == 3 and all(element.visible for element in viewer._page._soccer)


def test_the_board_says_that_time_stands_still_until_it_goes_on_but_for_an_edit(server, monkeypatch):
    monkeypatch.setattr("simspark_watching.viewer.standstill.WINDOW", 0.3)
    with viewing(server.port) as viewer, browser(viewer.url):
        page, boards = viewer._page, list[str]()
        until(lambda: viewer.pictures > 1 and "stands still" not in page._board.content)
        viewer.command("(pause)")
        until(lambda: "time stands still" in page._board.content)
        monkeypatch.setattr(page, "show_board", boards.append)
        before = server.shown
        viewer.command("(dropBall)")
        until(lambda: server.shown > before)
        seen = viewer.pictures
        until(lambda: viewer.pictures > seen + 2)
        monkeypatch.undo()
        assert boards and all("time stands still" in board for board in boards)
        server.heard.remove("(pause)")
        until(lambda: "stands still" not in page._board.content)


def test_a_server_that_is_joined_does_not_stand_still_from_the_start(server, monkeypatch):
    monkeypatch.setattr("simspark_watching.viewer.standstill.WINDOW", 1000.0)
    server.heard.append("(pause)")
    with viewing(server.port) as viewer:
        viewer._standstill._stands = True
        with browser(viewer.url):
            until(lambda: viewer.pictures > 1)
            assert "stands still" not in viewer._page._board.content


def test_the_trail_of_the_ball_stays_while_the_ball_lies_still(server, monkeypatch):
    # Without a browser, the viewer itself shows nothing.
    with viewing(server.port) as viewer:
        page = viewer._page
        page._targets = {"ball": 0}
        page._trail.switch(True)
        monkeypatch.setattr("simspark_watching.viewer.trail.PERIOD", 0.0)

        def place(ball: float, robot: float = 0.0) -> int:
            page.place(np.array([[ball, 0.0, 0.0], [robot, 0.0, 0.0]]), np.eye(2, 4))
            return len(page._trail._points)

        assert [place(along) for along in (0.1, 0.2, 0.3)] == [1, 2, 3]
        monkeypatch.setattr("simspark_watching.viewer.trail.SECONDS", 0.0)
        assert place(0.3, robot=1.0) == 3
        assert place(0.4) == 1
        page._targets = {}
        assert place(0.4) == 0 and page._trail._line is None


def start_view(viewer: Any) -> tuple[Any, Any]:
    camera = viewer._page._server.initial_camera
    return np.array(camera.position), np.array(camera.look_at)


def test_a_page_that_follows_the_ball_begins_near_the_centre_and_others_show_the_field(server, monkeypatch):
    # A browser may tell of its camera before it has gone to the initial place: here from the ground behind a goal.
    monkeypatch.setitem(CAMERA, "position", (20.0, 0.0, 0.1))
    with viewing(server.port, follow="ball", distance=6.0) as viewer, browser(viewer.url):
        until(lambda: viewer.pictures > 0)
        position, look_at = start_view(viewer)
        assert look_at.tolist() == [0.0, 0.0, 0.0]
        assert np.linalg.norm(position) == pytest.approx(6.0) and position[2] > 2.0
        # The ball of the server is where no game begins, and the camera goes there.
        (client,) = viewer._page._server.get_clients().values()
        until(lambda: np.allclose(client.camera.look_at, BALL))
        away = client.camera.position - client.camera.look_at
        assert np.linalg.norm(away) == pytest.approx(6.0, rel=0.01) and away[1] < -4.0 and away[2] > 2.0
    with viewing(server.port, follow="free") as viewer:
        position, _ = start_view(viewer)
        assert np.linalg.norm(position) > 30.0
        # A taken port gives way to the next.
        second = type(viewer)(ViewerSettings(monitor_port=server.port, port=viewer.port))
        assert second.port > viewer.port
        second.close()


def test_the_camera_of_television_stands_beside_the_field_and_turns_to_play(server):
    with viewing(server.port, distance=6.0) as viewer, browser(viewer.url):
        until(lambda: viewer.pictures > 0)
        (client,) = viewer._page._server.get_clients().values()
        until(lambda: np.allclose(client.camera.look_at, (*BALL[:2], HEIGHT)))
        away = client.camera.position - client.camera.look_at
        assert np.linalg.norm(away) == pytest.approx(6.0, rel=0.01) and away[1] < -4.0 and abs(away[0]) < 0.1


def test_a_goal_is_announced_and_shown_again_until_nobody_wants_it(server, monkeypatch):
    monkeypatch.setattr(director, "AFTER", 0.0)
    with viewing(server.port) as viewer, browser(viewer.url):
        until(lambda: viewer.pictures > 2)
        server.score = 2
        until(lambda: "REPLAY" in viewer._page._board.content)
        viewer._page._replays.value = False
        until(lambda: "REPLAY" not in viewer._page._board.content)


def test_lights_change_their_colours_while_the_bodies_stay(server):
    def look(viewer: Any, *lights: tuple[int, str]) -> list[Any]:
        moment = percepts(robot("nao_v6", 0, "", 0))
        viewer._reader.show(frame(replace(moment, game=moment.game._replace(lights=lights))))
        viewer._show()
        return [handle for handle, batch in viewer._page.stage._moving if batch.is_light]

    green, red = (lights_text({"Chest": colour}) for colour in ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0)))
    # Nothing but this test shows anything: no browser is there.
    with viewing(server.port) as viewer:
        assert look(viewer) == []
        (lamps,) = look(viewer, (1, green))
        before = lamps.batched_colors.copy()
        (same,) = look(viewer, (1, red))
        assert same is lamps
        (changed,) = np.flatnonzero((lamps.batched_colors != before).any(axis=1))
        assert before[changed].argmax() == 1 and lamps.batched_colors[changed].argmax() == 0
        assert look(viewer) == []


def test_a_slider_seeks_in_a_log_and_follows_it(server):
    with viewing(server.port, rate=5.0, played=True) as viewer, browser(viewer.url):
        until(lambda: viewer.pictures > 0)
        assert viewer._page._seek._slider is None, "nothing tells how long the log is"
        viewer._inspection.take(write(ReplayProgress(3.0, 8.0)))
        seek: Any = viewer._page._seek
        until(lambda: seek._slider is not None and seek._slider.value == 3.0)
        assert seek._slider.max == 8.0
        with pytest.raises(StopIteration):
            seek._moved(SimpleNamespace(client_id=1, target=SimpleNamespace(value=6.259))).send(None)
        until(lambda: server.heard[-1] == "(seek 6.25)")


def test_a_changed_world_file_is_shown_and_a_wrong_one_is_said(server, tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text("based_on: empty\n")
    box = "obstacles:\n  stone: {box: [1.0, 1.0, 1.0], position: [0.0, 0.0, 0.5]}\n"
    with viewing(server.port, world=str(path)) as viewer, browser(viewer.url):
        until(lambda: viewer.pictures > 0)
        parts = len(viewer._page.stage._still)
        path.write_text(f"based_on: empty\n{box}")
        until(lambda: len(viewer._page.stage._still) == parts + 1)
        path.write_text(f"based_on: empty\n{box}  nonsense\n")
        until(lambda: any("own.yaml" in line for line in viewer.lines))
        assert len(viewer._page.stage._still) == parts + 1


def test_the_page_shows_the_world_that_the_server_tells(server):
    world = read_world("empty")
    stone = {"stone": {"box": [1.0, 1.0, 1.0], "position": [0.0, 0.0, 0.5]}}
    text = text_of_world(world, [("a test", {"obstacles": stone})])
    with viewing(server.port) as viewer, browser(viewer.url):
        until(lambda: viewer.pictures > 0)
        parts = len(viewer._page.stage._still)
        viewer._inspection.take(write(WorldShown(text)))
        until(lambda: 0 < len(viewer._page.stage._still) < parts)
        assert [obstacle.name for obstacle in viewer._world.settings.things.standing] == ["stone"]
        viewer._inspection.take(write(WorldShown("{")))
        until(lambda: any("no JSON" in line for line in viewer.lines))


def test_the_page_shows_why_the_server_refuses_a_command(server):
    server.extra.append(b'{"note": {"text": "no directory for saved worlds"}}')
    with viewing(server.port) as viewer, browser(viewer.url) as page:
        assert any("no directory for saved worlds" in str(one) for one in messages(page))


def test_numbers_over_players_are_hidden_and_never_removed(server):
    with viewing(server.port) as viewer, browser(viewer.url):
        until(lambda: viewer.pictures > 1)
        stage = viewer._page.stage
        labels = list(stage._labels)
        assert sorted(label.text for label in labels) == sorted(2 * [str(unum) for unum in range(1, 12)])
        for shown in (False, True):
            stage.show_names(shown)
            assert all(label.visible is shown for label in labels)
        assert stage._labels == labels and min(label.position[2] for label in labels) > 0.4
