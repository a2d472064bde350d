"""How often OpenCV finds ball and lines in rendered pictures, by their distance from the camera.

    python benchmarks/vision.py [--worlds soccer spl] [--pictures 40]

A camera 0.55 m above the ground, 640 x 480 pixels and 60 degrees wide, looks 20 degrees down from random places; the
ball lies in its direction, two Naos stand about. A ball counts as found by shape if `cv2.HoughCircles`, in the red
channel at twice its size, has a circle with its centre within half a radius and its radius within 40 %, and by colour
if the circle around an orange spot is such. Points on the edges of straight lines in view count as found if a segment
of OpenCV's line detector (LSD) passes within 2 pixels, within 5 degrees of the line. Robots may hide either.
"""

import argparse
import math

import cv2
import numpy as np

from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.rendering.drawing.bodies import RobotLook
from simspark_ros.rendering.drawing.drawer import ScenePose
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.renderer import SceneRenderer
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.settings import SoccerSettings, load_soccer_settings

HEIGHT, DOWN = 0.55, math.radians(20.0)
DISTANCES = (0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
LENS = Lens(640, 480, math.radians(60.0))
NAO, ROBOTS = load_robot("nao"), 2
LINE = 0.05
"""Width of lines, m."""
Points = np.ndarray


def cameras(soccer: SoccerSettings, random: np.random.Generator) -> CameraPose:
    """A camera on the field that looks anywhere."""
    field = soccer.field
    place = random.uniform(-0.5, 0.5, 2) * (field.length, field.width)
    yaw = random.uniform(-math.pi, math.pi)
    ahead = place + np.array([math.cos(yaw), math.sin(yaw)])
    return CameraPose.look_at((*place, HEIGHT), (*ahead, HEIGHT - math.tan(DOWN)))


def in_view(points: Points, camera: CameraPose) -> tuple[Points, Points]:
    """Pixels of points (n, 3), and whether each is before the camera and in its picture."""
    seen = (points - camera.position) @ camera.rotation
    depth, pixels = seen[:, 2], seen @ LENS.matrix.T
    pixels = pixels[:, :2] / pixels[:, 2:]
    return pixels, (depth > 0.1) & (pixels >= 8).all(axis=1) & (pixels < (LENS.width - 8, LENS.height - 8)).all(axis=1)


def circles(picture: np.ndarray, radius: float) -> Points:
    """(n, 3) centres and radii of circles about as large as the ball, on the picture at twice its size."""
    red = cv2.resize(picture[:, :, 0].copy(), None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    sizes = {"minRadius": int(1.4 * radius), "maxRadius": int(2.6 * radius) + 2}
    found = cv2.HoughCircles(
        cv2.GaussianBlur(red, (5, 5), 0), cv2.HOUGH_GRADIENT, 1, 20, param1=100, param2=16, **sizes
    )
    return np.zeros((0, 3)) if found is None else np.asarray(found).reshape(-1, 3) / 2.0


def orange_spots(picture: np.ndarray) -> Points:
    """(n, 3) centres and radii of circles around what is orange."""
    hsv = cv2.cvtColor(picture, cv2.COLOR_RGB2HSV)
    spots, _ = cv2.findContours(
        cv2.inRange(hsv, (5, 120, 80), (25, 255, 255)), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
    )
    return np.array([(*centre, radius) for centre, radius in map(cv2.minEnclosingCircle, spots)]).reshape(-1, 3)


def right(found: Points, centre: Points, radius: float) -> np.ndarray:
    """Which of the circles (n, 3) are the ball."""
    off = np.linalg.norm(found[:, :2] - centre, axis=1)
    return (off < max(0.5 * radius, 1.5)) & (np.abs(found[:, 2] - radius) < max(0.4 * radius, 1.5))


def is_on_segment(pixels: Points, direction: Points, segments: Points) -> np.ndarray:
    """Whether each point (n, 2) of lines with directions (n, 2) lies on a segment (m, 4)."""
    start, way = segments[:, :2], segments[:, 2:] - segments[:, :2]
    length = np.linalg.norm(way, axis=1)
    along = way / length[:, None]
    off = pixels[:, None] - start
    place = (off * along).sum(axis=2)
    across = np.abs(off[..., 0] * along[:, 1] - off[..., 1] * along[:, 0])
    turned = np.abs(direction[:, None, 0] * along[:, 1] - direction[:, None, 1] * along[:, 0])
    return ((across < 2.0) & (place > -2.0) & (place < length + 2.0) & (turned < math.sin(math.radians(5.0)))).any(
        axis=1
    )


def edges(soccer: SoccerSettings) -> tuple[Points, Points]:
    """Points every 5 cm along both edges of the straight lines, and their directions, (n, 3)."""
    points, directions = [], []
    for one, other in soccer.field.lines():
        way = np.subtract(other, one)
        length = float(np.linalg.norm(way))
        # Not the chords of the circle.
        if length < 0.5 or math.hypot(*one[:2]) < soccer.field.centre_circle + LINE:
            continue
        along = way / length
        for side in (-LINE / 2, LINE / 2):
            places = np.arange(0.1, length - 0.1, 0.05)[:, None]
            points.append(one + side * np.array([-along[1], along[0], 0.0]) + places * along)
            directions.append(np.tile(along, (len(places), 1)))
    return np.concatenate(points), np.concatenate(directions)


def standing(random: np.random.Generator) -> ScenePose:
    """Robots that stand anywhere, without a ball."""
    positions, rotations = [], []
    for _ in range(ROBOTS):
        frames = link_frames(NAO.model, {})
        root = Transform.of(
            (*random.uniform(-3.0, 3.0, 2), NAO.spawn_height - NAO.model.base.centre[2]),
            (0.0, 0.0, random.uniform(-3.0, 3.0)),
        )
        for link in NAO.model.links:
            pose = root @ frames[link.name]
            positions.append(pose.apply(np.array(link.centre)))
            rotations.append(pose.rotation)
    return ScenePose(np.array(positions), quaternions_from_rotations(np.array(rotations)))


def measure(world: str, pictures: int) -> None:
    """Print the table of a world."""
    soccer = load_soccer_settings(world)
    random, renderer = np.random.default_rng(1), SceneRenderer(soccer)
    renderer.set_robots([RobotLook(NAO.model)] * ROBOTS)
    points, directions = edges(soccer)
    lsd, radius = cv2.createLineSegmentDetector(), soccer.ball.radius
    print(f"| {world}: m | balls by shape, by colour, % | points of lines, % | circles that are no ball, a picture |")
    print("|---|---|---|---|")
    lines: dict[float, list[np.ndarray]] = {distance: [] for distance in DISTANCES}
    rows = []
    for distance in DISTANCES:
        by_shape = by_colour = others = 0
        for _ in range(pictures):
            camera = cameras(soccer, random)
            ahead = math.atan2(*camera.rotation[1::-1, 2]) + random.uniform(-0.4, 0.4)
            ball = camera.position + np.array([distance * math.cos(ahead), distance * math.sin(ahead), radius - HEIGHT])
            renderer.place(standing(random)._replace(ball=ball))
            picture = renderer.render(camera, LENS)
            (centre,), _ = in_view(ball[None], camera)
            size = LENS.focal_length * radius / ((ball - camera.position) @ camera.rotation[:, 2])
            hits = right(circles(picture, size), centre, size)
            by_shape, others = by_shape + hits.any(), others + (~hits).sum()
            by_colour += right(orange_spots(picture), centre, size).any()
            pixels, there = in_view(points, camera)
            ends, _ = in_view(points + 0.01 * directions, camera)
            way = (ends - pixels)[there]
            segments = lsd.detect(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY))[0]
            way /= np.linalg.norm(way, axis=1)[:, None]
            hits = is_on_segment(pixels[there], way, segments.reshape(-1, 4))
            far = np.linalg.norm(points[there, :2] - camera.position[:2], axis=1)
            for low, high in zip(DISTANCES, (*DISTANCES[1:], 9.0), strict=True):
                lines[low].append(hits[(far >= low) & (far < high)])
        rows.append((distance, 100.0 * by_shape / pictures, 100.0 * by_colour / pictures, others / pictures))
    for distance, by_shape, by_colour, others in rows:
        share = 100.0 * np.concatenate(lines[distance]).mean()
        print(f"| {distance} | {by_shape:.0f}, {by_colour:.0f} | {share:.0f} | {others:.1f} |")
    renderer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", nargs="+", default=["soccer", "spl"])
    parser.add_argument("--pictures", type=int, default=40)
    options = parser.parse_args()
    for name in options.worlds:
        measure(name, options.pictures)
