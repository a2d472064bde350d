"""How long pictures take, and what they cost the simulator: `python benchmarks/camera.py`. Times of the processor."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from functools import partial

from simspark_ros.physics.engine import PhysicsEngine
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.physics.registry import create_engine
from simspark_ros.rendering.bodies import RobotLook
from simspark_ros.rendering.optics import Lens
from simspark_ros.rendering.renderer import ScenePose, SceneRenderer
from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.settings import load_soccer_settings
from simspark_ros.soccer.teams import Side

NAO = load_robot("nao")
SETTINGS = load_soccer_settings()
FOV = math.radians(60.0)
SHADOWS = {"none": {"shadows": False}, "ground": {}, "all": {"body_shadows": True}}
TURNS = 3


def crowd(engine: PhysicsEngine, in_view: int) -> list[int]:
    """A robot on the centre spot that faces the right goal, and others within its view; returns their handles."""
    places = [(0.0, 0.0)]
    row = 2
    while len(places) <= in_view:
        places += [(float(row), 0.8 * (i - (row - 1) / 2)) for i in range(row)]
        row += 1
    spots = places[: in_view + 1]
    return [engine.add_robot(NAO.model, (x, y, NAO.spawn_height), 0.0 if x == 0.0 else 2.0 * y) for x, y in spots]


def milliseconds(act: Callable[[], object], times: int = 30) -> float:
    """Median of some calls."""
    act()
    taken = []
    for _ in range(times):
        start = time.process_time()
        act()
        taken.append(time.process_time() - start)
    return 1e3 * statistics.median(taken)


def measure(in_view: int) -> None:
    """Print a row for each size of picture."""
    engine = create_engine("bullet")
    engine.load_scene(SETTINGS.scene)
    handles = crowd(engine, in_view)
    engine.place_ball((1.2, 0.2, SETTINGS.ball_rest_height))
    selection = engine.select_links([(handle, link.name) for handle in handles for link in NAO.model.links])

    def read() -> ScenePose:
        positions, rotations = engine.link_poses(selection)
        return ScenePose(positions, quaternions_from_rotations(rotations), engine.state.ball_position)

    pose, (camera,) = read(), cameras_of(NAO)
    renderers = {name: SceneRenderer(SETTINGS.field, SETTINGS.ball, **options) for name, options in SHADOWS.items()}
    for renderer in renderers.values():
        renderer.set_robots([RobotLook(NAO.model, Side.LEFT if i % 2 else Side.RIGHT) for i in range(len(handles))])
        renderer.place(pose)
    for width, height in ((320, 240), (640, 480)):
        lens = Lens(width, height, FOV)
        draws: dict[str, list[float]] = {name: [] for name in renderers}
        for _ in range(TURNS):
            for name, renderer in renderers.items():
                draw = partial(renderer.render_robot_view, 0, camera.mount, lens)
                draws[name].append(milliseconds(draw, 10))
        for name, times in draws.items():
            place, reads = milliseconds(partial(renderers[name].place, pose)), milliseconds(read)
            median = statistics.median(times)
            print(f"{in_view:>9} {width}x{height:<5} {name:>8} {median:>11.1f} {place:>9.2f} {reads:>9.2f}")
    for renderer in renderers.values():
        renderer.close()
    engine.close()


if __name__ == "__main__":
    print("in view   size       shadows  ms a picture  ms to place  ms to read poses (simulator)")
    for count in (1, 22):
        measure(count)
