"""The page in the browser: a scene, a scoreboard and buttons, by viser. Nothing here knows monitors or servers."""

from __future__ import annotations

import contextlib
import io
import math
import socket
import warnings
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.clients.viewer.gate import TOKEN, Gate, log_in_lines, visitor
from simspark_ros.clients.viewer.inspection import Inspection
from simspark_ros.clients.viewer.meshes import Batch, BodyFrames, colour_bytes
from simspark_ros.clients.viewer.panels import ball
from simspark_ros.clients.viewer.panels.controls import takes
from simspark_ros.clients.viewer.panels.keys import Shortcut, add_shortcuts, log_keys, match_keys, neighbour, toggled
from simspark_ros.clients.viewer.panels.players import PlayersPanel
from simspark_ros.clients.viewer.panels.robot import RobotPanel
from simspark_ros.clients.viewer.panels.seek import SeekPanel
from simspark_ros.clients.viewer.scene_recognition import SceneObjects
from simspark_ros.clients.viewer.settings import BALL, FREE, ViewerError, require_viser
from simspark_ros.clients.viewer.visitor import Click, Drag, Trigger, Use
from simspark_ros.physics.engine import Array
from simspark_ros.protocol.monitor.inspection import Readings
from simspark_ros.rendering.ground import HORIZON, ZENITH, light_direction
from simspark_ros.rendering.meshes import Mesh
from simspark_ros.rendering.scenery import Colour

SPEEDS = {
    "as started": "(speed)",
    "1/4": "(speed 0.25)",
    "1/2": "(speed 0.5)",
    "1": "(speed 1)",
    "2": "(speed 2)",
    "4": "(speed 4)",
    "max": "(speed 0)",
}
"""Choices of how fast time runs, times real time."""


BODIES = "/bodies/"
"""Begin of the names of what moves in viser's scene."""


class Page:
    """The page that all browsers show. Its methods may be called from one thread, beside those of viser.

    Args:
        host: address to listen on.
        port: to try first; the next free one is taken.
        token: browsers that open the address with it may use the panel, the others move their own camera.
        command: takes a trainer command when a button was pressed, in another thread.
        inspection: what is known of the inside of robots.
        follow: what the camera follows as soon as it is there, e.g. `ball` or `left 5`.
        distance: how near it comes then, m.
        played: whether a log is shown, which has no use for buttons of the match.

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
        self._server = _serve(host, port, token, self._takes)
        self._command = command
        self._inspection = inspection
        self._objects = SceneObjects()
        self._bodies: BodyFrames | None = None
        self._positions: Array = np.zeros((0, 3))
        self._quaternions: Array = np.zeros((0, 4))
        self._moving: list[tuple[Any, Batch]] = []
        self._still: list[Any] = []
        self._near: set[int] = set()
        self._wish, self._distance = follow, distance
        self._at_ball = follow == BALL
        self._targets: dict[str, int] = {}
        # By this page: others are not told.
        self._is_paused = False
        self._prepare_scene()
        self._build_panel(played)

    @property
    def port(self) -> int:
        """Port that it is served on."""
        return int(self._server.get_port())

    @property
    def is_watched(self) -> bool:
        """Whether a browser shows it."""
        return bool(self._server.get_clients())

    def show_pitch(self, parts: Sequence[tuple[Mesh, Colour]], length: float) -> None:
        """Replace everything that stands still, and set the view that browsers begin with by the field's length, m.

        A page that follows the ball begins near the field's centre.
        """
        with self._server.atomic():
            for handle in self._still:
                handle.remove()
            self._still = [
                self._server.scene.add_mesh_simple(
                    f"/pitch/{number}",
                    mesh.vertices.astype(np.float32),
                    mesh.triangles.astype(np.uint32),
                    color=tuple(_linear(colour_bytes([colour]))[0].tolist()),
                    flat_shading=True,
                    side="double",
                    cast_shadow=False,
                )
                for number, (mesh, colour) in enumerate(parts)
            ]
        camera = self._server.initial_camera
        camera.position, camera.look_at = (0.0, -0.98 * length, 0.62 * length), (0.0, -0.05 * length, 0.0)
        if self._at_ball:
            # Where the game begins, until the ball is there.
            away = self._distance / math.hypot(0.98, 0.62)
            camera.position, camera.look_at = (0.0, -0.98 * away, 0.62 * away), (0.0, 0.0, 0.0)

    def show_bodies(
        self, objects: SceneObjects, bodies: BodyFrames, batches: Sequence[Batch], positions: Array, quaternions: Array
    ) -> None:
        """Replace everything that moves."""
        self._objects, self._bodies = objects, bodies
        self._positions, self._quaternions = positions, quaternions
        with self._server.atomic():
            for handle, _ in self._moving:
                handle.remove()
            self._moving = [
                (
                    self._server.scene.add_batched_meshes_simple(
                        f"{BODIES}{number}",
                        batch.mesh.vertices,
                        batch.mesh.triangles,
                        *reversed(batch.poses(positions, quaternions)),
                        batched_scales=batch.scales,
                        batched_colors=_linear(batch.colours),
                        lod="off",
                        cast_shadow=not batch.is_mark,
                        visible=self._marks.value or not batch.is_mark,
                    ),
                    batch,
                )
                for number, batch in enumerate(batches)
            ]
            for handle, batch in self._moving:
                if not batch.is_mark and any(seen.handle >= 0 for seen in objects.robots):
                    handle.on_click(self._clicked(batch))
        self._targets = names = _names(objects, bodies)
        self._follow.options = (FREE, *names)
        if self._wish in names:
            self._follow.value, self._wish = self._wish, FREE
        elif self._follow.value not in self._follow.options:
            self._follow.value = FREE

    def place(self, positions: Array, quaternions: Array) -> None:
        """Move all bodies to positions (K, 3), m, with quaternions (K, 4), w, x, y, z."""
        positions, quaternions = positions.astype(np.float32), quaternions.astype(np.float32)
        self._positions, self._quaternions = positions, quaternions
        with self._server.atomic():
            for handle, batch in self._moving:
                handle.batched_positions, handle.batched_wxyzs = batch.poses(positions, quaternions)
            row = self._targets.get(self._follow.value)
            if row is not None:
                self._look_at(positions[row])

    def show_robots(self) -> None:
        """Offer the robots that the server lists."""
        with self._server.atomic():
            self._robot.follow()

    def show_readings(self, readings: list[Readings]) -> None:
        """Show what is new inside the chosen robot, where a replay is, and the handle of the ball."""
        with self._server.atomic():
            self._robot.show(readings)
            self._seek.show(self._inspection.playback)
            if self._ball is not None:
                row = self._targets.get(BALL)
                self._ball.show(None if row is None else self._positions[row])

    def show_lights(self, colours: NDArray[np.uint8]) -> None:
        """Give all lights, in the order of their batch, colours (n, 3)."""
        for handle, batch in self._moving:
            if batch.is_light:
                handle.batched_colors = _linear(colours)

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

    def _prepare_scene(self) -> None:
        scene = self._server.scene
        share = np.sqrt(np.linspace(1.0, 0.0, 64))[:, None]
        sky = np.array(HORIZON) * (1.0 - share) + np.array(ZENITH) * share
        scene.set_background_image(np.repeat(sky[:, None].astype(np.uint8), 8, axis=1), format="png")
        scene.configure_default_lights(enabled=False)
        scene.add_light_hemisphere("/sky", sky_color=(255, 255, 255), ground_color=(120, 140, 110), intensity=1.6)
        sun = 30.0 * light_direction()
        scene.add_light_directional("/sun", color=(255, 250, 240), intensity=2.3, position=tuple(sun.tolist()))
        self._server.initial_camera.near = 0.1
        self._server.initial_camera.fov = math.radians(40.0)

    def _build_panel(self, played: bool) -> None:
        gui = self._server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium")
        gui.main_panel.dock_right()
        gui.main_panel.set_width(290)
        gui.set_panel_label("simspark")
        self._board = gui.add_html("")
        self._ball: ball.BallPanel | None = None
        if not played:
            with gui.add_folder("Match"):
                self._buttons("Kick-off", {"left": "(kickOff Left)", "right": "(kickOff Right)"})
                self._buttons("Ball", {"drop": "(dropBall)", "to the centre": "(ball (pos 0 0 0.042)(vel 0 0 0))"})
                self._ball = ball.BallPanel(gui, self._server.scene, self._command)
                PlayersPanel(gui, self._command)
        with gui.add_folder("Time") as time:
            self._buttons("Time", {"pause": "(pause)", "run": "(run)", "step": "(step 1)"})
            self._speed = gui.add_dropdown("Speed", tuple(SPEEDS), hint="times real time")
            self._speed.on_update(self._on_press(lambda event: SPEEDS[self._speed.value]))
        self._seek = SeekPanel(time, gui, self._command)
        with gui.add_folder("Camera"):
            self._follow = gui.add_dropdown("Follow", (FREE, BALL), initial_value=FREE)
            self._follow.on_update(lambda event: self._near.clear())
            self._marks = gui.add_checkbox(
                "Marks", initial_value=True, hint="rings around robots, an arrow at the ball"
            )
            self._marks.on_update(lambda event: self._show_marks())
        self._robot = RobotPanel(gui, self._inspection, self._command, self._heading)
        with gui.add_folder("Referee"):
            self._messages = gui.add_html("")
        add_shortcuts(gui, [*(log_keys if played else match_keys)(self._send), *self._keys()])

    def _keys(self) -> Iterator[Shortcut]:
        """Keys that change what is seen, and time."""

        def follow(name: str) -> None:
            self._follow.value = toggled(self._follow.options, self._follow.value, name, FREE)

        def change_speed(step: int) -> None:
            usual, *speeds = SPEEDS
            current = self._speed.value
            self._speed.value = neighbour(speeds, "1" if current == usual else current, step)

        def toggle_marks() -> None:
            self._marks.value = not self._marks.value

        yield Shortcut("P", "pause, run", lambda: self._send("(run)" if self._is_paused else "(pause)"))
        yield Shortcut("N", "a single step", lambda: self._send("(step 1)"))
        yield Shortcut("Z", "slower", lambda: change_speed(-1))
        yield Shortcut("X", "faster", lambda: change_speed(1))
        yield Shortcut("space", "follow the ball", lambda: follow(BALL))
        yield Shortcut("V", "follow the robot that is looked into", lambda: follow(self._robot.chosen))
        yield Shortcut("M", "marks", toggle_marks)

    def _buttons(self, label: str, commands: dict[str, str]) -> None:
        group = self._server.gui.add_button_group(label, tuple(commands))
        group.on_click(self._on_press(lambda event: commands[event.target.value]))

    def _send(self, command: str) -> None:
        self._is_paused = command in ("(pause)", "(step 1)") or (self._is_paused and command != "(run)")
        self._command(command)

    def _on_press(self, command: Callable[[Any], str]) -> Callable[[Any], Coroutine[Any, Any, None]]:
        """What viser calls, in the order of the presses as it is a coroutine."""

        async def pressed(event: Any) -> None:
            self._send(command(event))

        return pressed

    def _takes(self, message: Use) -> bool:
        """Whether a message of a browser uses what the page offers."""
        if isinstance(message, Click):
            return message.name.startswith(BODIES)
        if isinstance(message, Drag):
            return message.name == ball.NAME
        if isinstance(message, Trigger):
            return message.uuid in self._server.gui._command_handle_from_uuid
        element = self._server.gui._gui_input_handle_from_uuid.get(message.uuid)
        return element is not None and takes(element, message.updates.value)

    def _clicked(self, batch: Batch) -> Callable[[Any], Coroutine[Any, Any, None]]:
        """What viser calls when an instance of a mesh was clicked."""

        async def clicked(event: Any) -> None:
            index = event.instance_index or 0
            if self._bodies is not None and 0 <= index < len(batch.rows):
                number = int(np.searchsorted(self._bodies.torsos, batch.rows[index], side="right")) - 1
                if 0 <= number < len(self._objects.robots):
                    self._robot.choose(self._objects.robots[number].handle)

        return clicked

    def _heading(self, handle: int) -> float:
        """Where a robot faces, rad counter-clockwise from +x."""
        for number, seen in enumerate(self._objects.robots):
            if seen.handle == handle and self._bodies is not None:
                w, x, y, z = self._quaternions[self._bodies.torsos[number]].tolist()
                return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        return 0.0

    def _show_marks(self) -> None:
        for handle, batch in self._moving:
            if batch.is_mark:
                handle.visible = self._marks.value

    def _look_at(self, target: Array) -> None:
        """Move all cameras with what they follow; each comes near once."""
        for number, client in self._server.get_clients().items():
            # Viser asserts that the browser has sent the pose of its camera, which may look at the place where it is.
            with contextlib.suppress(AssertionError, ValueError, ZeroDivisionError):
                away = client.camera.position - client.camera.look_at
                if number not in self._near:
                    self._near.add(number)
                    away *= min(1.0, self._distance / float(np.linalg.norm(away)))
                client.camera.position = target + away
                client.camera.look_at = target


def _serve(host: str, port: int, token: str, takes: Callable[[Use], bool]) -> Any:
    require_viser()
    # Viser looks for the next free port, and for ever if the address is none of this machine.
    try:
        with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            pass
    except (OSError, UnicodeError) as error:
        raise ViewerError(f"cannot serve the viewer on '{host}': {error}; choose an address of this machine") from None
    import viser

    # A browser may leave while its camera follows something.
    warnings.filterwarnings("ignore", "Queued a .* on a closed connection")
    log_in_lines()
    gate = Gate(token, f"viser-v{viser.__version__}", host, takes)
    # Viser announces itself on standard output, where the viewer's own lines say more.
    with contextlib.redirect_stdout(io.StringIO()), gate.guarding():
        server = viser.ViserServer(host, port, label="simspark", verbose=False)
    server.on_client_connect(_greet)
    return server


async def _greet(client: Any) -> None:
    """Let the gate tell a browser that it only watches; a coroutine, as it has the context of the connection."""
    guest = visitor()
    if guest is not None:
        text = f"Open the address with its {TOKEN} to use the panel."
        guest.greet(lambda: client.add_notification("Watching only", text))


def _linear(colours: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Viser lights colours without undoing their gamma, which makes them pale."""
    return np.rint((colours / 255.0) ** 2.2 * 255.0).astype(np.uint8)


def _names(objects: SceneObjects, bodies: BodyFrames) -> dict[str, int]:
    """Names of what the camera can follow, with the rows of their frames."""
    names: dict[str, int] = {BALL: len(bodies.nodes) - 1} if bodies.ball else {}
    for number, (seen, row) in enumerate(zip(objects.robots, bodies.torsos.tolist(), strict=True), 1):
        name = f"{seen.side.value} {seen.unum}" if seen.side and seen.unum else seen.name or f"robot {number}"
        names.setdefault(name, row)
    return names
