"""Monte Carlo localization as in the F2000 simulator's paper: errors and times of seeded runs, and its figure 5.

A mapper learns what to expect without noise; then a robot drives about by its ranges from another place in each run.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from simspark_learning.models.mapping import learn_expectations
from simspark_ros.motion.models.displacements import displacements
from simspark_ros.motion.models.gaussian import MotionModel
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.rotations import heading_of
from simspark_ros.sensors.container import SensorContainer, SensorData
from simspark_ros.sensors.perceptual_file import load_models
from simspark_ros.sensors.perceptual_model import PerceptualModel
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.player_plugins.host import PlayerHost
from simspark_ros.simulation.player_plugins.localizer import LocalizerPlayer
from simspark_ros.simulation.player_plugins.mapper import FEATURES
from simspark_ros.simulation.settings import load_simulation_settings

FIELD = ("field.length=10.0", "field.width=7.0", "walls.distance_x=5.8", "walls.distance_y=4.2", "walls.thickness=0.1")
"""Changes of the world `msl`: the field has grown since the paper."""
FOUND = 0.2
"""Error below which a robot has found itself, m, if it stays there for `STAYS` s."""
STAYS = 2.0
LEARNER = 1000
"""Seed of the run in which motion is learned; it is not judged."""
SHOWN_HEADING = 0.0
"""Heading of the robot at all places of the figure, rad."""


@dataclass(frozen=True)
class Run:
    """One run: time until the robot had found itself, s (infinite if it has not), and its errors after that, m.

    `alike` is the same for the nearer of the robot's place and the opposite one, where beams look alike.
    """

    found: float
    errors: Array
    alike: Run | None = None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--features", default=FEATURES, help="that are learned and weighed [%(default)s]")
    parser.add_argument("--expectations", type=Path, help="file of `simspark map`, instead of learning them")
    parser.add_argument("--step", type=float, default=0.5, help="of the mapper's grid, m")
    parser.add_argument("--headings", type=int, default=12)
    parser.add_argument("--most", type=int, default=0, help="values of a feature that count, e.g. beams; 0 = all")
    parser.add_argument("--distance-sigma", type=float, default=0.02, help="deviation of distances, m [%(default)s]")
    parser.add_argument("--half", action="store_true", help="the robot knows in which half it begins")
    parser.add_argument("--poses", type=int, default=2000)
    parser.add_argument("--beam", type=float, default=0.2, help="step of the map of a beam for the figure, m")
    parser.add_argument("--learning", type=float, default=0.0, help="learn p(x'|x, u) for so long, s, and compare")
    parser.add_argument("--figure", type=Path, help="write the figure here")
    options = parser.parse_args()
    if options.expectations:
        loaded = load_models(options.expectations)
        models = {name: loaded[name] for name in options.features.split(",")}
    else:
        grid = f"step={options.step}&headings={options.headings}"
        models = learned(
            f"features={options.features}&most={options.most}&{grid}&distance_sigma={options.distance_sigma}"
        )
    print(f"features: {', '.join(models)}")
    for motion in (None, learned_motion(options.learning)) if options.learning else (None,):
        print(f"motion: {motion or 'noise of fixed settings'}")
        report([one_run(seed, models, motion, options) for seed in range(1, options.runs + 1)])
    if options.figure:
        draw(options.figure, models, options)


def learned(options: str) -> dict[str, PerceptualModel]:
    """What a mapper learns."""
    return learn_expectations(f"mapper?{options}", "planar", "msl", FIELD)


def learned_motion(seconds: float) -> MotionModel | None:
    """How odometry errs in a cycle, learned by a drive from the truth of a robot that drives about."""
    simulation = simulated("localizer?poses=10", LEARNER)
    player, cycle = player_of(simulation), simulation.world.engine.cycle_time
    assert isinstance(player, LocalizerPlayer)
    odometry = player.body.sensors.get(feature="odometry_pose")
    told, true = [], []
    for _ in range(round(seconds / cycle)):
        simulation.run_cycle()
        player.body.sensors.update(odometry)
        if odometry.stamp is not None:
            told.append(np.array(odometry.values))
            true.append([*truth(simulation)[:2], heading_of(simulation.world.engine.state.rotation[0])])
    simulation.world.engine.close()
    poses, believed, drive = np.array(true), np.array(told), player.body.drive
    assert drive is not None
    drive.learn(poses[:-1], displacements(believed[:-1], believed[1:]), poses[1:])
    return drive.motion_model


def truth(simulation: Simulation) -> Array:
    """(3,) where the robot's base frame is, m."""
    state = simulation.world.engine.state
    place: Array = state.position[0] - state.rotation[0] @ np.array(state.models[0].base.centre)
    return place


def one_run(
    seed: int, models: Mapping[str, PerceptualModel], motion: MotionModel | None, options: argparse.Namespace
) -> Run:
    """Drive about from a place of this seed."""
    draw = np.random.default_rng(seed)
    x, y = draw.uniform((-4.0, -2.5), (4.0, 2.5)).tolist()
    heading = math.degrees(draw.uniform(-math.pi, math.pi))
    simulation = simulated(f"localizer?x={x}&y={y}&heading_deg={heading}&poses={options.poses}", seed)
    player = player_of(simulation)
    assert isinstance(player, LocalizerPlayer)
    player.learn(models, motion)
    if options.half:
        player.cloud.poses[:, 0] = math.copysign(1.0, x) * np.abs(player.cloud.poses[:, 0])
    cycle = simulation.world.engine.cycle_time
    errors, opposite = [], []
    for _ in range(round(options.seconds / cycle)):
        simulation.run_cycle()
        pose, place = player.cloud.estimate().pose[:2], truth(simulation)[:2]
        errors.append(math.dist(pose, place))
        opposite.append(math.dist(-pose, place))
    simulation.world.engine.close()
    here, there = (judged(np.array(one), cycle) for one in (errors, opposite))
    return replace(here, alike=min(here, there, key=lambda run: run.found))


def judged(errors: Array, cycle: float) -> Run:
    """A run by its error in each cycle."""
    near = np.concatenate(([False], errors < FOUND, [False])).astype(int)
    starts, ends = np.flatnonzero(np.diff(near) == 1), np.flatnonzero(np.diff(near) == -1)
    long = starts[ends - starts >= STAYS / cycle]
    if not len(long):
        return Run(math.inf, np.zeros(0))
    return Run((long[0] + 1) * cycle, errors[long[0] :])


def report(runs: list[Run]) -> None:
    """Print tables."""
    found = np.array([run.found for run in runs])
    print(f"{np.isfinite(found).sum()} of {len(runs)} runs found themselves (error below {FOUND} m for {STAYS:g} s)")
    table([run for run in runs if run.errors.size])
    alike = [run.alike for run in runs if run.alike and run.alike.errors.size]
    print(f"{len(alike)} of {len(runs)} found their place or the opposite one")
    table(alike)


def table(runs: list[Run]) -> None:
    """Print times and errors of runs that found themselves."""
    if not runs:
        return
    print("| | median | 90 % | largest |\n|---|---|---|---|")
    times, errors = [run.found for run in runs], np.concatenate([run.errors for run in runs])
    print("| time, s | " + " | ".join(f"{q:.1f}" for q in np.quantile(times, (0.5, 0.9, 1.0))) + " |")
    print("| error from then on, m | " + " | ".join(f"{q:.3f}" for q in np.quantile(errors, (0.5, 0.9, 1.0))) + " |")


def draw(path: Path, models: Mapping[str, PerceptualModel], options: argparse.Namespace) -> None:
    """The expectations of the features over the field, and the probability of both goals' distances and angles."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    models = {**models, **learned(f"features=scan&step={options.beam}&headings=1")}
    beam, goals = "scan", ("goal_distance", "goal_angle")
    panels = [
        (beam, 90, "LRF beam, m"),
        ("pole_distance", 0, "distance of a pole, m"),
        ("pole_angle", 0, "angle of it, rad"),
    ]
    panels += [("goal_distance", 0, "distance of a goal, m"), ("goal_angle", 0, "angle of it, rad")]
    figure, axes = pyplot.subplots(2, 3, figsize=(11, 6), layout="constrained")
    area = models[goals[0]].grid
    x, y = (np.linspace(low, high, 120) for low, high in zip(area.lower, area.upper, strict=True))
    places = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
    poses = np.column_stack((places, np.full(len(places), SHOWN_HEADING)))
    shown = [(name, title, models[name].expected(poses)[:, column]) for name, column, title in panels]
    for axis, (_, title, values) in zip(axes.flat, shown, strict=False):
        image = axis.pcolormesh(x, y, values.reshape(len(y), len(x)), cmap="gray")
        axis.set_title(title)
        figure.colorbar(image, ax=axis)
    container = SensorContainer([measured(models, name, np.array([[1.5, 1.0, SHOWN_HEADING]])) for name in goals])
    axes.flat[5].pcolormesh(x, y, container.get_probability(poses).reshape(len(y), len(x)) ** 0.25, cmap="gray_r")
    axes.flat[5].set_title("p(both goals at (1.5, 1)), fourth root")
    for axis in axes.flat:
        axis.set_aspect("equal")
    figure.savefig(path, dpi=100)


def measured(models: Mapping[str, PerceptualModel], name: str, pose: Array) -> SensorData:
    """Data of a feature as they are at a pose, with their model."""
    model = models[name]
    data = SensorData("", "", model.feature, perceptual_model=model)
    data.set_data(model.expected(pose)[0], 0.0)
    return data


def simulated(player: str, seed: int = 1) -> Simulation:
    """A simulation with one player, whose ball is out of the way."""
    settings = replace(
        load_simulation_settings(),
        pacing="fast",
        engine="planar",
        world="msl",
        referee=False,
        seed=seed,
        changes=FIELD,
        players=(player,),
    )
    simulation, _ = build_simulation(settings, [], lambda: 0.0, lambda seconds: None)
    simulation.world.place_ball((5.5, 3.8))
    return simulation


def player_of(simulation: Simulation) -> object:
    """Its player."""
    host = simulation.node(PlayerHost)
    assert host is not None
    return next(iter(host.running.values())).player


if __name__ == "__main__":
    main()
