"""Writes a world as the MJCF text that MuJoCo compiles.

Every body's frame is at its centre of mass, with the axes of its link: so MuJoCo's readings of bodies are the engine's
readings of links. Body names are `<row>.<index of the link>`; the ball is `ball`. Bodies are in the order ball, robots,
boxes, obstacles. Boxes and obstacles have bodies of their own, as MuJoCo compares geoms of the world itself with every
link in every step, but other bodies only with bodies near them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import chain, combinations, islice
from typing import Any

import mujoco

from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.model import (
    ZERO,
    ArticulatedModel,
    BallModel,
    HeightField,
    Joint,
    JointKind,
    Link,
    SceneModel,
    Shape,
    ShapeKind,
)
from simspark_ros.physics.model_cache import kept_with_model
from simspark_ros.physics.mujoco.settings import MujocoSettings

BALL_BODY = "ball"

# Bits 0 to 7 are those of robots' own texts, by which solids of one robot collide; bits 8 to 27 are for robots.
OWN_BITS = (1 << 8) - 1
_EVERYTHING = (1 << 31) - 1 - OWN_BITS
_STATIC_BITS, _BALL_BITS, GHOST_BITS = 1 << 28, 1 << 29, 1 << 30
# Placeholders of a robot's row and collision bits in its text.
_ROW, _BITS, _AFFINITY = "{row}", "{bits}", "{affinity}"
# Effort of a motor in the text: any positive number makes MuJoCo create the motor's row.
_SOME_EFFORT = 1.0
# Stop that stands for none on one side, and width of a range whose stops are equal, rad or m.
_FAR, _SHORTEST_RANGE = 1e6, 1e-6
# Density and viscosity of air, kg/m3 and Pa s.
_AIR = 1.2, 2e-5
# Contacts of a ball with MuJoCo's own friction, as in the world of rcssservermj: it rolls, and rebounds softly.
_NATIVE_BALL = "friction='0.4 0.01 0.01' condim='6' priority='1' solref='-5000 -20'"
# MuJoCo 4.0's sparse Newton solver is wrong where limbs of one robot touch; that of 3.17 is right.
_SPARSE_IS_RIGHT = mujoco.__version__.startswith("3.")
# Most robots for which dense matrices are faster than the conjugate gradient.
_MOST_DENSE = 10
# Inertia of the rotors of motors of robots without a text of their own, kg m2.
_ARMATURE = 0.01
# Thickness of a height field below its lowest point, m.
_BELOW = 1.0
# Lean of cylinders, rad: MuJoCo finds contacts deep in a cylinder whose axis is 1e-16 to 1e-15 off the ground's normal.
_OFF_UPRIGHT = 1e-5


def robot_bits(row: int) -> int:
    """Collision bits of a robot; no robot's bits are a part of another robot's.

    Two geoms collide if the `contype` of one has a bit in common with the `conaffinity` of the other. Here the
    `conaffinity` is the complement of `contype`, so geoms collide if their bits differ: links of different robots do,
    links of one robot do not, unless its own text says so.
    """
    # Three bits of twenty are enough for 1140 robots.
    return sum(1 << bit for bit in next(islice(combinations(range(8, 28), 3), row % 1140, None)))


def affinity(bits: int) -> int:
    """The `conaffinity` that belongs to collision bits."""
    return _EVERYTHING & ~bits


_STATIC = f"contype='{_STATIC_BITS}' conaffinity='{affinity(_STATIC_BITS)}'"


def world_document(settings: MujocoSettings, scene: SceneModel, models: tuple[ArticulatedModel, ...]) -> str:
    """The whole world as MJCF, with the robots in the order of rows."""
    return "".join(
        [
            "<mujoco><compiler angle='radian' eulerseq='XYZ' inertiafromgeom='false'/><size memory='128M'/>",
            *(_native_options if settings.native_steps else _options)(settings, scene, robots=len(models)),
            *_assets(scene, models),
            *_height_fields(scene),
            "<worldbody>",
            f"<geom type='plane' size='0 0 1' {_STATIC}/>",
            *([] if scene.ball is None else _ball(scene.ball, settings)),
            *(_robot(settings, row, model) for row, model in enumerate(models) if not is_own(settings, model)),
            *_boxes(scene),
            *_obstacles(scene),
            "</worldbody><sensor>",
            *_sensors(settings, scene, models),
            "</sensor>",
            *_actuators(settings, models),
            "</mujoco>",
        ]
    )


def compile_world(settings: MujocoSettings, scene: SceneModel, models: tuple[ArticulatedModel, ...]) -> Any:
    """The MjModel of a world; PhysicsError if MuJoCo refuses the model that was added last."""
    try:
        text = world_document(settings, scene, models)
        native = settings.native_steps > 0
        model = with_own_robots(text, models) if native else mujoco.MjModel.from_xml_string(text)
    except ValueError as error:
        name = models[-1].name if models else "of the scene"
        raise PhysicsError(f"MuJoCo cannot load the model '{name}': {error}") from None
    fields = [one.shape for one in scene.obstacles if isinstance(one.shape, HeightField)]
    shares = [share for field in fields for share in _shares_of_height(field)]
    model.hfield_data[:] = shares
    return model


@kept_with_model
def bodies_in_order(model: ArticulatedModel) -> tuple[int, ...]:
    """Indices of a model's links in the order in which MuJoCo numbers bodies (depth first)."""
    children = _children(model)
    index = {link.name: number for number, link in enumerate(model.links)}

    def below(name: str) -> Iterator[int]:
        yield index[name]
        for joint in children.get(name, []):
            yield from below(joint.child)

    return tuple(below(model.base.name))


def _options(settings: MujocoSettings, scene: SceneModel, robots: int) -> Iterator[str]:
    yield f"<option timestep='{settings.cycle_time!r}' gravity='{_numbers(scene.gravity)}' integrator='Euler'"
    yield f" cone='elliptic' solver='Newton' jacobian='sparse' iterations='{settings.iterations}'"
    yield f" ls_iterations='{settings.line_iterations}' tolerance='{settings.tolerance!r}'>"
    # Robots that do not touch each other are solved one by one; for a single robot that costs more than it saves.
    islands = "enable" if robots > 1 else "disable"
    # Without autoreset='disable' one robot's bad number sets the whole world to its beginning.
    yield f"<flag island='{islands}' refsafe='disable' autoreset='disable'/></option>"
    yield f"<default><geom condim='3' friction='{settings.friction!r} 0 0'/></default>"


def _native_options(settings: MujocoSettings, scene: SceneModel, robots: int) -> Iterator[str]:
    """MuJoCo's own defaults, in air, but for a solver that is wrong."""
    solver = "" if _SPARSE_IS_RIGHT else "jacobian='dense'" if robots <= _MOST_DENSE else "solver='CG'"
    yield f"<option timestep='{settings.cycle_time / settings.native_steps!r}' gravity='{_numbers(scene.gravity)}'"
    yield f" density='{_AIR[0]}' viscosity='{_AIR[1]}' iterations='{settings.iterations}'"
    yield f" tolerance='{settings.tolerance!r}' {solver}><flag autoreset='disable'/></option>"


def is_own(settings: MujocoSettings, model: ArticulatedModel) -> bool:
    """Whether a robot is compiled from its own text."""
    return settings.native_steps > 0 and _has_own_text(model)


def _has_own_text(model: ArticulatedModel) -> bool:
    # In the text the base is free.
    return bool(model.mjcf) and not model.fixed_base


def _hull_name(shape: Shape) -> str:
    """Name of a hull's mesh; equal hulls of all robots share it."""
    return f"hull {sha256(repr(shape.vertices).encode()).hexdigest()}"


def _assets(scene: SceneModel, models: tuple[ArticulatedModel, ...]) -> Iterator[str]:
    """The meshes of all hulls, once each."""
    standing = (one.shape for one in scene.obstacles if isinstance(one.shape, Shape))
    hulls = dict.fromkeys((*_meshes(standing), *chain.from_iterable(map(_meshes_of, models))))
    if hulls:
        yield from ("<asset>", *hulls, "</asset>")


@kept_with_model
def _meshes_of(model: ArticulatedModel) -> tuple[str, ...]:
    return tuple(_meshes(chain.from_iterable(link.collisions for link in model.links)))


def _meshes(shapes: Iterable[Shape]) -> Iterator[str]:
    for shape in shapes:
        if shape.kind is ShapeKind.HULL:
            points = _numbers(chain.from_iterable(shape.vertices))
            # Without this inertia MuJoCo would refuse a thin hull; the inertia only decides the place of the mesh.
            yield f"<mesh name='{_hull_name(shape)}' inertia='convex' vertex='{points}'/>"


def _boxes(scene: SceneModel) -> Iterator[str]:
    for box in scene.boxes:
        half = _numbers(edge / 2.0 for edge in box.size)
        yield f"<body pos='{_numbers(box.centre)}'><geom type='box' size='{half}' {_STATIC}/></body>"


def _height_fields(scene: SceneModel) -> Iterator[str]:
    """Grids and their sizes; the heights are written into the compiled model later."""
    for number, obstacle in enumerate(scene.obstacles):
        field = obstacle.shape
        if isinstance(field, HeightField):
            x, y = field.size
            size = _numbers((x / 2.0, y / 2.0, _rise(field), _BELOW))
            rows, columns = len(field.heights), len(field.heights[0])
            yield f"<asset><hfield name='{number}' nrow='{rows}' ncol='{columns}' size='{size}'/></asset>"


def _shares_of_height(field: HeightField) -> Iterator[float]:
    """Heights between the lowest and the highest as shares of the difference, row by row."""
    lowest, rise = field.lowest, _rise(field)
    return ((height - lowest) / rise for row in field.heights for height in row)


def _rise(field: HeightField) -> float:
    """Difference of a field's heights, m, or the least difference that MuJoCo takes: it refuses a flat field."""
    return max(field.highest - field.lowest, _SHORTEST_RANGE)


def _obstacles(scene: SceneModel) -> Iterator[str]:
    for number, obstacle in enumerate(scene.obstacles):
        shape = obstacle.shape
        if isinstance(shape, HeightField):
            x, y, z = shape.position
            place = f"pos='{_numbers((x, y, z + shape.lowest))}'"
            yield f"<body {place}><geom type='hfield' hfield='{number}' {_STATIC}/></body>"
        else:
            yield f"<body><geom {_solid(shape, shape.position)} {_STATIC}/></body>"


def _ball(ball: BallModel, settings: MujocoSettings) -> Iterator[str]:
    yield f"<body name='{BALL_BODY}' pos='0 0 {ball.radius!r}'><freejoint/>"
    yield f"<inertial pos='0 0 0' mass='{ball.mass!r}' diaginertia='{_numbers((ball.inertia,) * 3)}'/>"
    # The margin gives a ball that just touches a contact, as on ODE.
    contact = _NATIVE_BALL if settings.native_steps else "margin='1e-9'"
    yield f"<geom type='sphere' size='{ball.radius!r}' {contact}"
    yield f" contype='{_BALL_BITS}' conaffinity='{affinity(_BALL_BITS)}'/></body>"


def _robot(settings: MujocoSettings, row: int, model: ArticulatedModel) -> str:
    bits = robot_bits(row)
    text = _robot_anywhere(model, settings).replace(_ROW, str(row))
    return text.replace(_BITS, str(bits)).replace(_AFFINITY, str(affinity(bits)))


@kept_with_model
def _robot_anywhere(model: ArticulatedModel, settings: MujocoSettings) -> str:
    """A robot with placeholders for row and collision bits; kept, as writing takes longer than compiling."""
    children = _children(model)
    index = {link.name: number for number, link in enumerate(model.links)}

    def body(link: Link, joint: Joint | None) -> Iterator[str]:
        yield f"<body name='{_ROW}.{index[link.name]}' pos='{_numbers(ZERO if joint is None else link.centre)}'>"
        if joint is not None:
            yield _joint(settings, link, joint)
        elif not model.fixed_base:
            yield "<freejoint/>"
        ixx, ixy, ixz, iyy, iyz, izz = link.inertia
        yield f"<inertial pos='0 0 0' mass='{link.mass!r}' fullinertia='{_numbers((ixx, iyy, izz, ixy, ixz, iyz))}'/>"
        for shape in link.collisions:
            yield _geom(shape, link)
        for child in children.get(link.name, []):
            origin = _numbers(a - b for a, b in zip(child.position, link.centre, strict=True))
            yield f"<frame pos='{origin}' euler='{_numbers(child.rpy)}'>"
            yield from body(model.link(child.child), child)
            yield "</frame>"
        yield "</body>"

    return "".join(body(model.base, None))


def _joint(settings: MujocoSettings, link: Link, joint: Joint) -> str:
    if joint.kind is JointKind.FIXED:
        return ""
    kind = "slide" if joint.kind is JointKind.PRISMATIC else "hinge"
    anchor = _numbers(-value for value in link.centre)
    text = f"<joint type='{kind}' pos='{anchor}' axis='{_numbers(joint.axis)}'"
    if settings.native_steps:
        text += f" name='{_ROW}:{joint.name}' damping='{joint.damping!r}' frictionloss='{joint.friction!r}'"
        text += f" armature='{_ARMATURE}'"
        if math.isfinite(joint.max_effort):
            text += f" actuatorfrclimited='true' actuatorfrcrange='{_numbers((-joint.max_effort, joint.max_effort))}'"
    else:
        text += f" frictionloss='{_SOME_EFFORT!r}'"
    stops = stop_range(settings, joint)
    return text + (" limited='false'/>" if stops is None else f" limited='true' range='{_numbers(stops)}'/>")


def stop_range(settings: MujocoSettings, joint: Joint) -> tuple[float, float] | None:
    """Places of a joint's stops, rad or m; None if it has none."""
    if joint.kind is JointKind.CONTINUOUS or (joint.lower == -math.inf and joint.upper == math.inf):
        return None
    lower, upper = max(joint.lower, -_FAR), min(joint.upper, _FAR)
    # MuJoCo refuses an empty range.
    upper = max(upper, lower + _SHORTEST_RANGE)
    if settings.stop_bounce and joint.never_bounces(settings.cycle_time):
        # Its motor would press against a stop inside the range, where the joint starts.
        return lower, upper
    # A range narrower than both margins shrinks to its middle.
    margin = min(settings.stop_margin, 0.49 * (upper - lower))
    return lower + margin, upper - margin


def _geom(shape: Shape, link: Link) -> str:
    centre = (a - b for a, b in zip(shape.position, link.centre, strict=True))
    if shape.kind is ShapeKind.CYLINDER:
        roll, pitch, yaw = shape.rpy
        shape = replace(shape, rpy=(roll + _OFF_UPRIGHT, pitch, yaw))
    return f"<geom {_solid(shape, centre)} contype='{_BITS}' conaffinity='{_AFFINITY}'/>"


def _solid(shape: Shape, position: Iterable[float]) -> str:
    """Kind, size and place of a solid."""
    if shape.kind is ShapeKind.HULL:
        solid = f"type='mesh' mesh='{_hull_name(shape)}'"
    elif shape.kind is ShapeKind.BOX:
        solid = f"type='box' size='{_numbers(edge / 2.0 for edge in shape.size)}'"
    elif shape.kind is ShapeKind.SPHERE:
        solid = f"type='sphere' size='{float(shape.size[0])!r}'"
    else:
        solid = f"type='{shape.kind.value}' size='{_numbers((shape.size[0], shape.size[1] / 2.0))}'"
    return f"{solid} pos='{_numbers(position)}' euler='{_numbers(shape.rpy)}'"


def _actuators(settings: MujocoSettings, models: tuple[ArticulatedModel, ...]) -> Iterator[str]:
    """One for each joint of a robot without a text of its own; their gains are set later."""
    if settings.native_steps:
        joints = [f"{row}:{one.name}" for row, m in enumerate(models) if not _has_own_text(m) for one in m.joints]
        yield "<actuator>"
        yield from (f"<general joint='{name}' biastype='affine'/>" for name in joints)
        yield "</actuator>"


def with_own_robots(text: str, models: tuple[ArticulatedModel, ...]) -> Any:
    """The MjModel of a document with the robots that have a text of their own added, `row:` before their names."""
    spec = mujoco.MjSpec.from_string(text)
    for row, model in enumerate(models):
        if _has_own_text(model):
            robot = mujoco.MjSpec.from_string(model.mjcf)
            # Those of the world count.
            robot.option = spec.option
            for joint in model.joints:
                actuator = robot.add_actuator(name=joint.name, target=joint.name)
                actuator.trntype = mujoco.mjtTrn.mjTRN_JOINT
                actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
            base = next(body for body in robot.bodies if body.name == model.base.name)
            spec.worldbody.add_frame().attach_body(base, f"{row}:", "")
    return spec.compile()


def _sensors(settings: MujocoSettings, scene: SceneModel, models: tuple[ArticulatedModel, ...]) -> Iterator[str]:
    """Velocities of all bodies, six numbers each, in MuJoCo's order; then seven numbers for every touch link."""
    names = [] if scene.ball is None else [BALL_BODY]
    names += [f"{row}.{link}" for row, model in enumerate(models) for link in bodies_in_order(model)]
    for name in names if not settings.native_steps else ():
        yield f"<framelinvel objtype='body' objname='{name}'/><frameangvel objtype='body' objname='{name}'/>"
    for row, model in enumerate(models):
        index = {link.name: number for number, link in enumerate(model.links)}
        for name in model.touch_links:
            # As the second body it feels the forces of the others.
            yield f"<contact body2='{row}.{index[name]}' num='1' reduce='netforce' data='found force pos'/>"


def _children(model: ArticulatedModel) -> dict[str, list[Joint]]:
    children: dict[str, list[Joint]] = {}
    for joint in (*model.joints, *model.fixed_joints):
        children.setdefault(joint.parent, []).append(joint)
    return children


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
