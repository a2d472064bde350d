"""Draws by OpenGL without a display (EGL): by a GPU, or by Mesa's software at a half to a third of TinyRenderer's time.

It needs the package moderngl. All robots of one look are drawn by one call: each link is an instance of its triangles,
with its pose and label (`glMultiDrawElementsIndirect`). A shader that looks up poses takes twice as long.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from operator import gt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.errors import UserError
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.rendering.drawing.bodies import RobotLook, RobotShape
from simspark_ros.rendering.drawing.drawer import AMBIENT, DIFFUSE, SPECULAR, Drawn, ScenePose, Take, Thing
from simspark_ros.rendering.drawing.meshes import Colour, Detail, Mesh, joined
from simspark_ros.rendering.drawing.optics import MOST_KEPT
from simspark_ros.simulation.settings import Renderer

_LIBRARIES = {"libgl": "libGL.so.1", "libegl": "libEGL.so.1"}
"""Names that libraries have without their packages for developers."""

_CORNER = np.dtype([("point", "f4", 3), ("normal", "f4", 3), ("colour", "u1", 4)])
_INSTANCE = np.dtype([("pose", "f4", (3, 4)), ("label", "f4")])
_COMMAND = np.dtype([(name, "u4") for name in ("indices", "instances", "first", "corner", "instance")])

_THINGS = """#version 330
uniform mat4 clip;  // From the world to the picture.
in vec3 point, normal;
in vec4 colour;
in vec4 east, north, up;  // Rows of the transform to the world.
in float label;
out vec3 turned;
flat out vec3 paint;
flat out float name;
void main() {
    vec4 place = vec4(point, 1.0);
    gl_Position = clip * vec4(dot(east, place), dot(north, place), dot(up, place), 1.0);
    turned = vec3(dot(east.xyz, normal), dot(north.xyz, normal), dot(up.xyz, normal));
    paint = colour.rgb;
    name = label;
}
"""
_COLOURS = """#version 330
uniform vec3 sun, light;  // Light has the shares of the sky, of the sun, and of the sun's reflection.
in vec3 turned;
flat in vec3 paint;
flat in float name;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec2 measured;  // Label, and distance along the camera's axis, m.
void main() {
    vec3 normal = normalize(turned);
    float lit = dot(normal, sun), shine = max(normalize(2.0 * lit * normal - sun).z, 0.0);
    float bright = light.x + light.y * max(lit, 0.0) + light.z * shine * shine;
    colour = vec4(min(paint * bright, 1.0), 1.0);
    measured = vec2(name, 1.0 / gl_FragCoord.w);
}
"""
_SHADOWS = """#version 330
layout(location = 0) out vec4 colour;
void main() {
    colour = vec4(1.0);
}
"""


class OpenGLError(Exception):
    """OpenGL cannot be used here; the message says why."""


def _context() -> Any:
    # Mesa's software draws such small pictures cheapest in the thread that asks.
    os.environ.setdefault("LP_NUM_THREADS", "0")
    try:
        import moderngl
    except ImportError:
        raise OpenGLError("the package 'moderngl' is missing: pip install 'simspark_ros[opengl]'") from None
    # Its annotation of the backend's settings is wrong.
    create: Any = moderngl.create_context
    try:
        return create(standalone=True, backend="egl", require=430, **_LIBRARIES)
    # Its errors have no class of their own.
    except Exception as error:
        raise OpenGLError(f"OpenGL 4.3 by EGL does not start: {error}") from None


@cache
def _found() -> tuple[bool, str]:
    """Whether there is OpenGL, and what draws, or why there is none; asked once, for all pictures of a process."""
    try:
        context = _context()
    except OpenGLError as error:
        return False, str(error)
    name = str(context.info["GL_RENDERER"])
    context.release()
    return True, name


def chooses_opengl(renderer: Renderer) -> tuple[bool, str]:
    """Whether OpenGL draws: unless software is asked for, where it can; and a line that says what draws, and why."""
    if renderer == "software":
        return False, "pictures are drawn by PyBullet's software"
    found, about = _found()
    if found:
        return True, f"pictures are drawn by OpenGL ({about})"
    return False, f"pictures are drawn by PyBullet's software: {about}"


class _Triangles(NamedTuple):
    """Triangles of some parts.

    Attributes:
        coloured, flat: the same triangles for both programs.
        commands: (n,) a command that draws each part once; its first instance is the number of the part's link.
    """

    coloured: Any
    flat: Any
    commands: NDArray[np.void]


class OpenGLDrawer:
    """A `Drawer`; see there. `sun` is the unit vector (3,) toward the sun.

    Raises:
        OpenGLError: there is no OpenGL.
    """

    def __init__(self, things: Sequence[Thing], ball: Thing, sun: Array) -> None:
        self._sun = sun
        self._robots: list[RobotShape] = []
        self._details: Sequence[Detail | None] = ()
        self._hidden: dict[int, int] = {}
        self._made: dict[tuple[RobotLook, Detail], _Triangles | None] = {}
        # Three textures and their frame, or nothing.
        self._frame: list[Any] = []
        # Things with the ball after them, and the links of all robots.
        self._standing = np.zeros(len(things) + 1, _INSTANCE)
        self._standing["pose"][:-1, :, :3] = np.eye(3)
        self._standing["label"] = [*(thing.label for thing in things), ball.label]
        self._links = np.zeros(0, _INSTANCE)
        self._starts: IntArray = np.zeros(1, np.int64)
        self._first_label = 0
        self._context = _context()
        # Others may draw in the same process.
        with self._context as context:
            self._coloured = context.program(vertex_shader=_THINGS, fragment_shader=_COLOURS)
            self._flat = context.program(vertex_shader=_THINGS, fragment_shader=_SHADOWS)
            self._instances = context.buffer(self._standing.tobytes())
            self._things = self._triangles(
                [(number, thing.mesh, thing.colour) for number, thing in enumerate((*things, ball))]
            )

    def set_robots(self, robots: Sequence[RobotShape], first_label: int) -> None:
        """Robots with the same looks keep their triangles."""
        self._robots, self._first_label = list(robots), first_label

    def place(self, pose: ScenePose, starts: IntArray) -> None:
        """Takes effect when things are drawn."""
        ball = self._standing["pose"][-1]
        # Without a ball its pose has zeros, which make a point of it.
        ball[:] = 0.0
        if pose.ball is not None:
            ball[:, :3], ball[:, 3] = np.eye(3), pose.ball
        self._starts, self._links = starts, np.zeros(len(pose.positions), _INSTANCE)
        self._links["pose"][:, :, :3] = rotations_from_quaternions(pose.quaternions)
        self._links["pose"][:, :, 3] = pose.positions
        self._links["label"] = np.repeat(self._first_label + np.arange(len(self._robots)), np.diff(starts))

    def show(self, details: Sequence[Detail | None]) -> None:
        """Takes effect when things are drawn."""
        self._details = details

    def hide(self, robot: int, link: int | None) -> None:
        """Takes effect when things are drawn."""
        self._hidden = {} if link is None else {robot: link}

    def draw(self, take: Take) -> Drawn:
        """Shadows take less time than the things that throw them.

        Raises:
            UserError: the picture is too large.
        """
        projection = np.array(take.lens.projection(take.near, take.far, software=False)).reshape(4, 4).T
        # OpenGL's rows go up, those of pictures go down.
        clip = np.diag((1.0, -1.0, 1.0, 1.0)) @ projection @ take.view
        size = take.lens.width, take.lens.height
        program = self._flat if take.shadows else self._coloured
        with self._context as context, self._frame_for(size) as frame:
            frame.viewport = (0, 0, *size)
            frame.use()
            frame.clear(viewport=frame.viewport)
            # TinyRenderer leaves out backs, too; upside down they go clockwise.
            context.enable_only(context.CULL_FACE if take.shadows else context.CULL_FACE | context.DEPTH_TEST)
            context.front_face = "cw"
            program["clip"].write(clip.T.astype("f4").tobytes())
            if not take.shadows:
                program["sun"], program["light"] = self._sun, (AMBIENT, DIFFUSE * take.sunlit, SPECULAR * take.sunlit)
            self._draw_all(take.shadows)
            read = partial(frame.read, frame.viewport, alignment=1)
            colours = np.frombuffer(read(4), np.uint32).reshape(size[::-1])
            # Things have all bits of the fourth byte.
            is_there: NDArray[np.bool_] = colours != 0
            if not take.measured:
                return Drawn(colours, is_there)
            both = np.frombuffer(read(2, attachment=1, dtype="f4"), np.float32).reshape(*size[::-1], 2)
            return Drawn(colours, is_there, both[:, :, 0].astype(np.uint16), both[:, :, 1])

    def close(self) -> None:
        """Free the context and all that is in it."""
        self._context.release()

    def _draw_all(self, flat: bool) -> None:
        alike = defaultdict(list)
        for number, (shape, detail) in enumerate(zip(self._robots, self._details, strict=True)):
            if detail is not None:
                alike[shape, detail].append(number)
        drawn = [(self._things, 1, self._standing)]
        for (shape, detail), numbers in alike.items():
            # The same link of all robots, one after the other.
            links = np.arange(len(shape.look.model.links))
            placed = self._links[self._starts[numbers] + links[:, None]]
            for place, number in enumerate(numbers):
                if number in self._hidden:
                    placed["pose"][self._hidden[number], place] = 0.0
            drawn.append((self._robot(shape, detail), len(numbers), placed.reshape(-1)))
        instances = np.concatenate([placed for *_, placed in drawn])
        # The arrays of triangles keep the same buffer when its size changes.
        self._instances.orphan(instances.nbytes)
        self._instances.write(instances.tobytes())
        first = 0
        for triangles, count, placed in drawn:
            if triangles is not None:
                commands = triangles.commands.copy()
                commands["instances"], commands["instance"] = count, first + count * commands["instance"]
                buffer = self._context.buffer(commands.tobytes())
                (triangles.flat if flat else triangles.coloured).render_indirect(buffer)
                buffer.release()
            first += len(placed)

    def _robot(self, shape: RobotShape, detail: Detail) -> _Triangles | None:
        key = shape.look, detail
        if key not in self._made:
            self._made[key] = self._triangles(shape.parts(detail))
        return self._made[key]

    def _triangles(self, parts: Sequence[tuple[int, Mesh, Colour]]) -> _Triangles | None:
        """Triangles of meshes with numbers of parts; transparent ones are left out."""
        seen = [(part, mesh, colour) for part, mesh, colour in parts if colour[3] > 0.0]
        if not seen:
            return None
        whole = joined(mesh for _, mesh, _ in seen)
        corners = np.zeros(len(whole.vertices), _CORNER)
        corners["point"], corners["normal"] = whole.vertices, whole.normals
        colours = np.rint(255.0 * np.array([colour for _, _, colour in seen]))
        corners["colour"] = colours.repeat([len(mesh.vertices) for _, mesh, _ in seen], axis=0)
        context = self._context
        points = context.buffer(corners.tobytes())
        indices = context.buffer(whole.triangles.astype(np.uint32).tobytes())
        pose = (self._instances, "4f4 4f4 4f4 1f4 /i", "east", "north", "up", "label")
        coloured = [(points, "3f4 3f4 4f1", "point", "normal", "colour"), pose]
        flat = [(points, "3f4 16x", "point"), (self._instances, "4f4 4f4 4f4 4x /i", "east", "north", "up")]
        commands = np.zeros(len(seen), _COMMAND)
        commands["indices"] = [mesh.triangles.size for _, mesh, _ in seen]
        commands["first"] = np.cumsum(commands["indices"]) - commands["indices"]
        commands["instance"] = [part for part, _, _ in seen]
        return _Triangles(
            context.vertex_array(self._coloured, coloured, indices),
            context.vertex_array(self._flat, flat, indices),
            commands,
        )

    @contextmanager
    def _frame_for(self, size: tuple[int, int]) -> Iterator[Any]:
        """A frame with room for a picture; the next pictures get it, too, unless it is large."""
        parts = self._frame
        if not parts or any(map(gt, size, parts[-1].size)):
            larger = (max(size[0], parts[-1].width), max(size[1], parts[-1].height)) if parts else size
            self._make_frame(larger if math.prod(larger) <= MOST_KEPT else size)
        try:
            yield parts[-1]
        finally:
            if math.prod(parts[-1].size) > MOST_KEPT:
                self._make_frame((1, 1))

    def _make_frame(self, size: tuple[int, int]) -> None:
        context, parts = self._context, self._frame
        while parts:
            parts.pop().release()
        try:
            parts += context.texture(size, 4), context.texture(size, 2, dtype="f4"), context.depth_texture(size)
            parts.append(context.framebuffer(parts[:2], parts[2]))
        # As in `_context`.
        except Exception as error:
            while parts:
                parts.pop().release()
            most = context.info["GL_MAX_TEXTURE_SIZE"]
            raise UserError(
                f"the picture is too large for OpenGL, which draws at most {most} samples along an edge, one or more "
                f"for each pixel; ask for fewer pixels, or for renderer=software ({error})"
            ) from None
        # Only now does Mesa free the frame before.
        parts[-1].clear()
