"""Shows a server's match in a page; connects as a monitor only while a browser is there."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.protocol.monitor.inspection import OPENING
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.protocol.monitor.reader import FrameError, MonitorReader, lights_of
from simspark_ros.server.viewer_settings import ViewerSettings, new_token, page_address
from simspark_ros.soccer.settings import SoccerSettings, load_soccer_settings, world_of_text
from simspark_watching.broadcast.board import board_of
from simspark_watching.broadcast.bodies import BodyFrames, BodyPoses
from simspark_watching.broadcast.director import REPLAY, Director, SlowMotion
from simspark_watching.broadcast.scene_recognition import Crowd, SceneObjects, SceneRecognizer
from simspark_watching.viewer.camera_pictures import CameraPictures, CameraScene
from simspark_watching.viewer.field import field_of, pitch
from simspark_watching.viewer.inspection import Inspection
from simspark_watching.viewer.meshes import build_bodies, light_batch
from simspark_watching.viewer.page import Page
from simspark_watching.viewer.scoreboard import News, board_html
from simspark_watching.viewer.standstill import Standstill


class ShownWorld:
    """The world that a server tells of, else one by its name or file; empty = soccer.

    A file is read again when it changes, as `serve --reload` does.

    Attributes:
        settings: settings of the last usable version.

    Raises:
        ConfigurationError: the file cannot be used.
    """

    def __init__(self, world: str) -> None:
        self._world, self._path = world or None, Path(world)
        self._stamp = self._look()
        self._told = ""
        self.settings: SoccerSettings = load_soccer_settings(self._world)

    def follow(self, told: str) -> bool:
        """Take the text that the server tells, or read the file if it tells none; whether the world is another one.

        Raises:
            ConfigurationError: the world cannot be used; raised once for each version.
        """
        if told:
            if told == self._told:
                return False
            self._told = told
            self.settings = world_of_text(told)
            return True
        stamp = self._look()
        if stamp in (None, self._stamp):
            return False
        self._stamp = stamp
        self.settings = load_soccer_settings(self._world)
        return True

    def _look(self) -> tuple[int, int] | None:
        """Time of the file's last change, ns, and its size; None if it is no file, or just being replaced."""
        try:
            status = self._path.stat() if self._path.is_file() else None
        except OSError:
            return None
        return (status.st_mtime_ns, status.st_size) if status else None


POLL_PERIOD = 0.1
"""Time between two checks for browsers and for the end, s."""

RETRY, CONNECT_TIMEOUT = 1.0, 2.0
"""Time between two attempts to reach a server, and longest time of an attempt, s."""

STILL = "time stands still"
"""Words of the board while it does."""

STILL_PERIOD = 0.25
"""Time between two pictures while the server sends none, s: people choose and follow things while time stands still."""

BOARD_PERIOD = 0.2
"""The scoreboard follows the clock at most this often, s."""


class Viewer:
    """A monitor with a page; `say` takes lines for the operator.

    Attributes:
        pictures: number of pictures shown so far.

    Raises:
        ViewerError: the page cannot be served.
        ConfigurationError: the world file is wrong.
    """

    def __init__(self, settings: ViewerSettings, say: Callable[[str], object] = lambda text: None) -> None:
        self._world = ShownWorld(settings.world)
        self._finder = SceneRecognizer(load_look())
        self._settings, self._say = settings, say
        self._commands: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._connection: ClassicClient | None = None
        self._reader, self._news = MonitorReader(), News()
        self._field = self._world.settings.field
        self._director = Director()
        self._replay: tuple[float, SlowMotion] | None = None
        self._cameras = CameraPictures(lambda text: self._report("", text))
        self._camera_scene: CameraScene | None = None
        self._inspection = Inspection()
        self._crowd: Crowd | None = None
        self._objects: SceneObjects | None = None
        self._bodies: BodyFrames | None = None
        self._lights: Mapping[int, str] = {}
        self._nodes: object = None
        self._note, self._said, self._board_due, self._shown = "", "", 0.0, ""
        self._standstill = Standstill()
        self.pictures = 0
        self._token = settings.token or new_token()
        self._page = Page(
            settings.bind,
            settings.port,
            self._token,
            self.command,
            self._inspection,
            settings.follow,
            settings.distance,
            played=settings.played,
        )
        self._lay_pitch()
        self._show_board(force=True)

    @property
    def port(self) -> int:
        """Port of the page."""
        return self._page.port

    @property
    def url(self) -> str:
        """Address of the page, with the token for its buttons."""
        return page_address(self._settings.bind, self._page.port, self._token)

    @property
    def is_connected(self) -> bool:
        """Whether the server is there."""
        return self._connection is not None

    def command(self, text: str) -> None:
        """Send a trainer command to the server, as buttons do; safe from any thread."""
        self._commands.put(text)

    def run(self, stop: threading.Event) -> None:
        """Show the server while a browser looks, until the event is set."""
        due, retry, news = 0.0, 0.0, False
        while not stop.is_set():
            now = time.monotonic()
            if not self._page.is_watched:
                self._leave()
                news = False
                stop.wait(POLL_PERIOD)
                continue
            if self._connection is None and (now < retry or not self._join()):
                retry = retry if now < retry else now + RETRY
                stop.wait(POLL_PERIOD)
                continue
            news |= self._take(min(POLL_PERIOD, due - now) if news else POLL_PERIOD)
            # While time stands still there are notes, but no frames.
            self._page.show_notes(self._inspection.take_notes())
            still = self._objects is not None and time.monotonic() >= due + STILL_PERIOD
            if (news or still) and time.monotonic() >= due:
                due = max(due + 1.0 / self._settings.rate, time.monotonic() - 1.0 / self._settings.rate)
                news = False
                self._show()

    def close(self) -> None:
        """End the page and the connection."""
        self._leave()
        self._page.close()

    def _join(self) -> bool:
        """Connect to the server; whether it is there."""
        settings = self._settings
        while not self._commands.empty():
            # Buttons pressed while there was no server are not meant for the next one.
            self._commands.get()
        try:
            self._connection = ClassicClient(settings.host, settings.monitor_port, CONNECT_TIMEOUT)
            self._standstill.begin(time.monotonic())
            # Frames beyond the rate of pictures would slow down a match that is faster than real time.
            self._send(self._connection, f"(frameRate {settings.rate:g})")
        except ConnectionLostError as error:
            self._report(f"waiting for a server at {settings.host}:{settings.monitor_port}", str(error))
            return False
        self._report("", "")
        self._show_board(force=True)
        return True

    def _leave(self) -> None:
        if self._connection is not None:
            self._connection.leave()
            self._connection = None
            self._standstill.begin()
            self._inspection.forget()
            self._page.drawings.clear()
            self._cameras.rest()

    def _take(self, timeout: float) -> bool:
        """Read the server's messages and send it commands of buttons; returns whether there is anything new to show."""
        assert self._connection is not None
        news = False
        try:
            if request := self._inspection.request():
                self._send(self._connection, request)
            while not self._commands.empty():
                self._send(self._connection, self._commands.get())
            for payload in self._connection.receive_some(timeout):
                news |= self._read(payload)
        except ConnectionLostError as error:
            self._leave()
            self._report("the server is gone; waiting for the next one", str(error))
        return news

    def _send(self, connection: ClassicClient, text: str) -> None:
        connection.send(text)
        self._standstill.note_command(time.monotonic())

    def _read(self, payload: bytes) -> bool:
        assert self._connection is not None
        try:
            if payload.startswith(OPENING):
                self._inspection.take(payload)
                return False
            self._reader.show(payload)
        except ConfigurationError as error:
            self._report("", f"a message that cannot be used is left out: {error}")
            return False
        except FrameError as error:
            self._report("", f"a frame that cannot be shown is left out: {error}")
            self._send(self._connection, "(reqfullstate)")
            return False
        self._standstill.note_frame(time.monotonic())
        return True

    def _show(self) -> None:
        self._show_pitch()
        world = self._reader.world()
        objects, crowd = self._objects, self._inspection.crowd
        if self._reader.nodes is not self._nodes or crowd is not self._crowd:
            objects = self._finder.find(self._reader.nodes, crowd, self._world.settings.plays_soccer)
        self._nodes, self._crowd = self._reader.nodes, crowd
        lights = lights_of(self._reader.environment)
        if objects is not None and (objects != self._objects or lights.keys() != self._lights.keys()):
            self._objects, self._lights = objects, lights
            self._bodies, batches = build_bodies(objects, self._world.settings.ball, lights)
            self._page.show_bodies(objects, self._bodies, batches, *self._bodies.poses(world))
            self._replay = None
        elif self._objects is not None and self._bodies is not None:
            self._place(self._objects, self._bodies, BodyPoses(*self._bodies.poses(world)))
            if lights != self._lights:
                self._lights = lights
                for batch in light_batch(self._objects, lights):
                    self._page.stage.show_lights(batch.colours)
        self._page.show_readings(self._inspection.take_readings())
        for name, drawing in self._inspection.take_drawings().items():
            self._page.drawings.show(name, drawing)
        self.pictures += 1
        self._show_board()

    def _show_pitch(self) -> None:
        """Show the field if the server has another one, or the world has changed."""
        try:
            is_new = self._world.follow(self._inspection.world)
        except ConfigurationError as error:
            self._report("", f"the world stays as it was: {error}")
            is_new = False
        if is_new:
            # The same nodes have a ball in one world, and none in another.
            self._nodes = None
        field = field_of(self._world.settings.field, self._reader.environment)
        if is_new or field != self._field:
            self._field, self._camera_scene = field, None
            self._lay_pitch()

    def _lay_pitch(self) -> None:
        standing = self._world.settings.things.standing
        self._page.show_play(self._world.settings.plays_soccer)
        self._page.show_pitch(pitch(self._field, standing), self._field.length, [one.name for one in standing])

    def _place(self, objects: SceneObjects, bodies: BodyFrames, poses: BodyPoses) -> None:
        """Show the match, or a goal again."""
        now = time.monotonic()
        self._director.see(now, self._reader, objects, bodies, poses)
        if (replay := self._director.take_replay(now)) is not None and self._page.wants_replays:
            self._replay = now, replay
            self._page.cameras.cut()
        if self._replay is not None:
            begin, replay = self._replay
            if self._page.wants_replays and now < begin + replay.duration:
                poses = replay.at(now - begin)
            else:
                self._replay = None
                self._page.cameras.cut()
        self._page.place(poses.positions, poses.quaternions)
        self._show_cameras(objects, bodies, poses)

    def _show_cameras(self, objects: SceneObjects, bodies: BodyFrames, poses: BodyPoses) -> None:
        """Show the pictures of robots' cameras, if anybody wants them."""
        wanted = self._page.wanted_cameras()
        if not wanted:
            self._cameras.rest()
            self._page.pictures.show(None)
            return
        if self._camera_scene is None or self._camera_scene.objects is not objects:
            soccer = replace(self._world.settings, field=self._field)
            self._camera_scene = CameraScene(objects, bodies, soccer)
        sheet = self._cameras.follow(self._camera_scene, poses, wanted)
        if sheet is not None:
            self._page.pictures.show(sheet)

    def _show_board(self, force: bool = False) -> None:
        news = self._news.follow(self._reader) or force
        if news:
            self._page.show_messages(self._news.html())
        now = time.monotonic()
        if news or now >= self._board_due:
            self._board_due = now + BOARD_PERIOD
            banner = REPLAY if self._replay else self._director.banner(now)
            board, plays = board_of(self._reader, self._director.goals), self._world.settings.plays_soccer
            modes = (board.mode if plays else "", STILL if self._standstill.stands(now) else "")
            board = replace(board, mode=" · ".join(filter(None, modes)))
            html = board_html(board, self._note, banner, self.pictures, plays)
            if html != self._shown:
                self._shown = html
                self._page.show_board(html)

    def _report(self, note: str, line: str) -> None:
        """Show a note in the page, and say a line, each once."""
        if line and line != self._said:
            self._say(line)
        self._said = line or self._said
        if note != self._note:
            self._note = note
            self._show_board(force=True)
