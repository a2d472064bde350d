"""The page in the browser: a scene, a scoreboard and buttons, by viser. Nothing here knows monitors or servers."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.protocol.monitor.inspection import Readings
from simspark_ros.rendering.drawing.meshes import Colour, Mesh
from simspark_ros.server.viewer_settings import BALL, FREE, TV
from simspark_watching.broadcast.bodies import BodyFrames, target_name, target_rows
from simspark_watching.broadcast.scene_recognition import SceneObjects
from simspark_watching.viewer.cameras import Cameras
from simspark_watching.viewer.drawings import DrawingLayer
from simspark_watching.viewer.gate import start_server
from simspark_watching.viewer.inspection import Inspection
from simspark_watching.viewer.meshes import Batch
from simspark_watching.viewer.panels.adding import AddingPanel
from simspark_watching.viewer.panels.elements import READ, takes
from simspark_watching.viewer.panels.entities import EntitiesPanel
from simspark_watching.viewer.panels.handle import ROOT
from simspark_watching.viewer.panels.keys import Shortcut, add_shortcuts, log_keys, match_keys, neighbour, toggled
from simspark_watching.viewer.panels.pictures import PicturesPanel
from simspark_watching.viewer.panels.players import PlayersPanel
from simspark_watching.viewer.panels.robot import RobotPanel
from simspark_watching.viewer.panels.saving import SavingPanel
from simspark_watching.viewer.panels.seek import SeekPanel
from simspark_watching.viewer.panels.views import ViewsPanel
from simspark_watching.viewer.trail import Trail
from simspark_watching.viewer.viser_scene import BODIES, ViserScene
from simspark_watching.viewer.visitor import Click, Drag, LetGo, Taken, Trigger, Use

SPEEDS = {
    "as started": "(speed)",
    "1/4": "(speed 0.25)",
    "1/2": "(speed 0.5)",
    "1": "(speed 1)",
    "2": "(speed 2)",
    "4": "(speed 4)",
    "max": "(speed 0)",
}
"""Speeds of time to choose from, times real time."""

_THEME: dict[str, Any] = {"show_logo": False, "show_share_button": False, "control_width": "medium"}


class Page:
    """The page that all browsers show. Its methods may be called from one thread, beside viser's own threads.

    Args:
        host: address to listen on.
        port: the first port to try; the next free one is taken.
        token: secret in the address; browsers that open it may use the panel, the others move their own camera.
        command: function that takes a trainer command when a button was pressed, in another thread.
        inspection: knowledge of the inside of robots.
        follow: body that the camera follows as soon as it is there, e.g. `ball` or `left 5`.
        distance: the camera's distance from that body, m.
        played: whether the page shows a log, which needs no buttons of the match.

    Attributes:
        stage: everything in the scene but drawings.
        drawings: drawings of programs.
        cameras: cameras of the browsers.
        pictures: pictures of robots' cameras.

    Raises:
        ViewerError: viser is not installed, or the address is none of this machine.
    """

    def __init__(
        self,
        host: str,
        port: int,
        token: str,
        command: Callable[[str], None],
        inspection: Inspection,
        follow: str = FREE,
        distance: float = 4.5,
        *,
        played: bool = False,
    ) -> None:
        self._server = start_server(host, port, token, self._takes)
        self._command = command
        self._inspection = inspection
        self.stage = ViserScene(self._server, self._clicked)
        self.drawings = DrawingLayer(self._server)
        self._trail = Trail(self._server.scene)
        self.cameras = Cameras(self._server, distance)
        self._wish = follow
        self._targets: dict[str, int] = {}
        self._handles: dict[str, int] = {}
        # Paused by this page: it does not learn of other pages' pauses.
        self._is_paused = False
        self._adding: AddingPanel | None = None
        self._soccer: list[Any] = []
        self._build_panel(played)

    @property
    def port(self) -> int:
        """Port that it is served on."""
        return int(self._server.get_port())

    @property
    def is_watched(self) -> bool:
        """Whether a browser shows it."""
        return bool(self._server.get_clients())

    def show_pitch(self, parts: Sequence[tuple[Mesh, Colour]], length: float, obstacles: Sequence[str] = ()) -> None:
        """Replace everything that stands still, and set the view that browsers begin with by the field's length, m."""
        self.stage.show_pitch(parts)
        self._entities.show_obstacles(obstacles)
        self.cameras.begin(self._wish, length)
        self._views.begin(length)

    def show_bodies(
        self, objects: SceneObjects, bodies: BodyFrames, batches: Sequence[Batch], positions: Array, quaternions: Array
    ) -> None:
        """Replace everything that moves."""
        self.stage.show_bodies(objects, bodies, batches, positions, quaternions)
        self._targets = names = target_rows(objects, bodies)
        self._handles = {target_name(objects, index): seen.handle for index, seen in enumerate(objects.robots)}
        self._follow.options = (FREE, *names)
        if self._wish in names:
            self._follow.value, self._wish = self._wish, FREE
        elif self._follow.value not in self._follow.options:
            self._follow.value = FREE
        self._entities.show(objects)
        self._choose(self._entities.chosen)

    def place(self, positions: Array, quaternions: Array) -> None:
        """Move all bodies to positions (K, 3), m, with quaternions (K, 4), w, x, y, z."""
        with self._server.atomic():
            self.stage.place(positions, quaternions)
            row = self._targets.get(self._follow.value)
            if row is not None:
                self.cameras.follow(self._follow.value, positions[row])
            self._trail.take(self._place_of(BALL))
            self.stage.point_at(self._place_of(self._entities.chosen))

    def show_play(self, plays: bool) -> None:
        """Show or hide what only a world with soccer has: buttons of the match, and messages of the referee."""
        for element in self._soccer:
            element.visible = plays

    @property
    def wants_replays(self) -> bool:
        """Whether goals are to be shown again."""
        return bool(self._replays.value)

    def show_readings(self, readings: list[Readings]) -> None:
        """Show new readings of the chosen robot, the position of a replay, and the handle of the chosen entity."""
        with self._server.atomic():
            self._robot.show(readings)
            self._seek.show(self._inspection.playback)
            self._entities.place(self._place_of(self._entities.chosen), self._heading())

    def show_notes(self, notes: Sequence[str]) -> None:
        """Show the server's answers to commands for some seconds, in all browsers."""
        for note in notes:
            for browser in self._server.get_clients().values():
                browser.add_notification("Server", note, auto_close_seconds=READ)

    def wanted_cameras(self) -> tuple[int, ...]:
        """Robots, by their indices in the scene, whose cameras' pictures are wanted."""
        objects, chosen = self.stage.objects, self._entities.chosen
        return self.pictures.wanted(target_name(objects, index) == chosen for index in range(len(objects.robots)))

    def show_board(self, html: str) -> None:
        """Replace the scoreboard."""
        self._board.content = html

    def show_messages(self, html: str) -> None:
        """Replace the referee's messages."""
        self._messages.content = html

    def close(self) -> None:
        """End it."""
        with contextlib.redirect_stdout(io.StringIO()):
            self._server.stop()

    def _place_of(self, name: str) -> Array | None:
        """Place (3,), m, of an entity; None if it is not there."""
        row = self._targets.get(name)
        return None if row is None else self.stage.positions[row]

    def _choose(self, name: str) -> None:
        """Mark an entity and look into it; none if it is not there."""
        handle = self._handles.get(name, -1)
        if self._adding is not None and handle != self._inspection.chosen:
            seen = (one.described for one in self.stage.objects.robots if one.handle == handle)
            self._adding.show(next(seen, None))
        self._inspection.chosen = handle
        self._entities.mark(name if name in self._targets else "")

    def _build_panel(self, played: bool) -> None:
        gui = self._server.gui
        gui.configure_theme(**_THEME)
        gui.main_panel.dock_right()
        gui.main_panel.set_width(290)
        gui.set_panel_label("simspark")
        self._board = gui.add_html("")
        self._build_time(played)
        tabs = gui.add_tab_group()
        if not played:
            with tabs.add_tab("Match"):
                self._build_match()
        with tabs.add_tab("World"):
            self._entities = EntitiesPanel(
                gui, self._server.scene, self._command, self._inspection, self._choose, self._turn_to, played=played
            )
            self._robot = RobotPanel(gui, self._inspection, self._command, self._heading)
            self.pictures = PicturesPanel(gui)
        if not played:
            with tabs.add_tab("Add"):
                self._adding = AddingPanel(gui, self._command, self._inspection)
                PlayersPanel(gui, self._command)
                SavingPanel(gui, self._command)
        with tabs.add_tab("View"):
            self._build_view()
        with gui.add_folder("Referee") as referee:
            self._messages = gui.add_html("")
        self._soccer.append(referee)
        add_shortcuts(gui, [*(log_keys if played else match_keys)(self._send), *self._keys()])

    def _build_time(self, played: bool) -> None:
        gui = self._server.gui
        with gui.add_folder("Time") as time:
            hint = "step: a cycle of the simulation, or a frame of a log; reset: everything begins again"
            commands = {"pause": "(pause)", "run": "(run)", "step": "(step 1)"}
            self._buttons("Time", hint, commands if played else {**commands, "reset": "(reset)"})
            self._speed = gui.add_dropdown("Speed", tuple(SPEEDS), hint="speed of time, as a multiple of real time")
            self._speed.on_update(self._on_press(lambda event: SPEEDS[self._speed.value]))
        self._seek = SeekPanel(time, gui, self._command)

    def _build_match(self) -> None:
        hint = "give this team the kick-off; works only if the server permits trainers"
        kick_off = self._buttons("Kick-off", hint, {"left": "(kickOff Left)", "right": "(kickOff Right)"})
        hint = "drop: the ball stays where it is, both teams move away, and play goes on"
        ball = self._buttons("Ball", hint, {"drop": "(dropBall)", "to the centre": "(ball (pos 0 0 0.042)(vel 0 0 0))"})
        self._soccer += [kick_off, ball]

    def _build_view(self) -> None:
        gui = self._server.gui
        hint = (
            "tv: follow play from beside the field; drag to turn the camera, and use the wheel to change its distance"
        )
        self._follow = gui.add_dropdown("Follow", (FREE, TV, BALL), initial_value=FREE, hint=hint)
        self._follow.on_update(lambda event: self.cameras.approach())
        self._views = ViewsPanel(gui, self._follow, FREE)
        self._marks = self._switch("Marks", "rings around robots, an arrow at the ball", self.stage.show_marks)
        self._names = self._switch("Names", "numbers and names over robots", self.stage.show_names)
        self._drawn = self._switch(
            "Drawings", "drawings of programs: particles, maps, features", self.drawings.show_all
        )
        self._trailed = self._switch("Trail", "the ball's path in the last seconds", self._trail.switch, initial=False)
        hint = "show each goal again in slow motion, unless time runs faster than twice real time"
        self._replays = gui.add_checkbox("Replays", initial_value=True, hint=hint)
        self._dark = self._switch("Dark", "make panel and sky dark", self._show_dark, initial=False)

    def _turn_to(self, name: str) -> None:
        """Follow an entity, or end that."""
        self._follow.value = toggled(self._follow.options, self._follow.value, name, FREE)

    def _switch(self, label: str, hint: str, change: Callable[[bool], object], initial: bool = True) -> Any:
        box = self._server.gui.add_checkbox(label, initial_value=initial, hint=hint)
        box.on_update(lambda event: change(bool(box.value)))
        return box

    def _show_dark(self, dark: bool) -> None:
        self._server.gui.configure_theme(**_THEME, dark_mode=dark)
        self.stage.show_sky(dark)

    def _keys(self) -> Iterator[Shortcut]:
        """Keys that change the view, and time."""

        def change_speed(step: int) -> None:
            usual, *speeds = SPEEDS
            current = self._speed.value
            self._speed.value = neighbour(speeds, "1" if current == usual else current, step)

        def switch(box: Any) -> Callable[[], None]:
            def change() -> None:
                box.value = not box.value

            return change

        yield Shortcut("P", "pause, run", lambda: self._send("(run)" if self._is_paused else "(pause)"))
        yield Shortcut("N", "a single step", lambda: self._send("(step 1)"))
        yield Shortcut("Z", "slower", lambda: change_speed(-1))
        yield Shortcut("X", "faster", lambda: change_speed(1))
        yield Shortcut("space", "follow play as on television", lambda: self._turn_to(TV))
        yield Shortcut("C", "keep the ball in the middle", lambda: self._turn_to(BALL))
        yield Shortcut("V", "follow the chosen robot or object", lambda: self._turn_to(self._entities.chosen))
        yield Shortcut("M", "marks", switch(self._marks))
        yield Shortcut("U", "numbers and names", switch(self._names))
        yield Shortcut("H", "drawings of programs", switch(self._drawn))
        yield Shortcut("T", "the ball's trail", switch(self._trailed))
        yield Shortcut("I", "replays of goals", switch(self._replays))
        yield Shortcut("O", "dark and light", switch(self._dark))

    def _buttons(self, label: str, hint: str, commands: dict[str, str]) -> Any:
        group = self._server.gui.add_button_group(label, tuple(commands), hint=hint)
        group.on_click(self._on_press(lambda event: commands[event.target.value]))
        return group

    def _send(self, command: str) -> None:
        self._is_paused = command in ("(pause)", "(step 1)") or (self._is_paused and command != "(run)")
        self._command(command)

    def _on_press(self, command: Callable[[Any], str]) -> Callable[[Any], Coroutine[Any, Any, None]]:
        """The function that viser calls; as a coroutine it is called in the order of the presses."""

        async def pressed(event: Any) -> None:
            self._send(command(event))

        return pressed

    def _takes(self, message: Use) -> bool:
        """Whether the page offers the element that a browser's message uses."""
        if isinstance(message, Click):
            return message.name.startswith(BODIES)
        if isinstance(message, Drag | Taken | LetGo):
            return message.name.startswith(ROOT)
        if isinstance(message, Trigger):
            return message.uuid in self._server.gui._command_handle_from_uuid
        element = self._server.gui._gui_input_handle_from_uuid.get(message.uuid)
        return element is not None and takes(element, message.updates.value)

    def _clicked(self, row: int) -> None:
        """A body was clicked: choose its robot, or the ball."""
        bodies = self.stage.bodies
        if bodies is not None and row < bodies.link_count:
            row = int(bodies.torsos[np.searchsorted(bodies.torsos, row, side="right") - 1])
        self._choose(next((name for name, one in self._targets.items() if one == row and name != TV), ""))

    def _heading(self) -> float:
        """Where the chosen robot faces, rad counter-clockwise from +x."""
        row = self._targets.get(self._entities.chosen)
        if row is None:
            return 0.0
        w, x, y, z = self.stage.quaternions[row].tolist()
        return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
