"""Replays recorded stand-ups and kicks open loop on an engine: how near it is to the engine they were recorded on.

    python benchmarks/replays.py --recordings DIR/agent_c_type*.npz --engine mujoco
    python benchmarks/replays.py --recordings DIR/*.npz --engine bullet --preset J1 --set cfm=1e-3 --set erp=0.4

An engine is put into a recorded state (base, joints, their velocities, ball), then follows the recorded targets of the
motors. Errors: of the torso, mean after 10 and 20 cycles, from every second cycle of the stand-ups. Up: stand-ups,
started from the first lying cycle and 10 and 20 later (if 20 are left), after which the torso is upright when the
recorded one has been so for 10 cycles. Kicks: the fastest ball until 5 cycles after the recorded one was hit, in
replays that start 6, 8, 10, 12 and 14 cycles before that. Walks: how far the torso is ahead of the recorded one along
its way, and turned against it, mean after 20 and 40 cycles. Deterministic. The format of recordings is in
recordings.py; `agent_trial.py --record DIR` makes them.
"""

import argparse
import re
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from recordings import (  # type: ignore[import-not-found]
    EARLIER,
    LATER,
    LEFT,
    UPRIGHT,
    WALK,
    EngineMaker,
    Kick,
    Recording,
    Replay,
    StandUp,
    find_kicks,
    find_stand_ups,
    find_walks,
    kick_speed,
    load_recording,
    upright_after,
)

from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.registry import create_engine, engine_names

HORIZONS = (10, 20)
"""Cycles after which the torso is compared."""

WALK_HORIZONS = (20, WALK)
"""The same for walks."""

SOFTEST, HARDEST = 0.7, 1.3
"""Shares of the recorded speed between which a replayed kick counts as alike."""


def main() -> None:
    arguments = parse_arguments()
    recordings = [load_recording(path) for path in arguments.recordings]
    standing = [one for recording in recordings for one in find_stand_ups(recording)]
    kicks = [one for recording in recordings for one in find_kicks(recording) if one.speed >= arguments.fastest_from]
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        preset = preset_with(arguments.preset, arguments.set, Path(folder))
        name = " ".join((arguments.engine, arguments.preset or "", *arguments.set))

        def make_engine() -> GuardedEngine:
            return create_engine(arguments.engine, preset)

        print(f"{name}: {len(recordings)} recordings, {len(standing)} stand-ups, {len(kicks)} kicks")
        report_errors(make_engine, standing)
        report_stand_ups(make_engine, standing, arguments.verbose)
        report_kicks(make_engine, kicks)
        report_walks(make_engine, recordings)
    print(f"{time.process_time() - started:.0f} s of processor time")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recordings", type=Path, nargs="+", required=True, metavar="FILE")
    parser.add_argument("--engine", default="bullet", choices=engine_names())
    parser.add_argument("--preset", default=None, help="of the engine (default: its own)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change the preset; repeatable")
    parser.add_argument("--fastest-from", type=float, default=0.0, help="leave out softer kicks, m/s")
    parser.add_argument("--verbose", action="store_true", help="show each stand-up")
    return parser.parse_args()


def preset_with(preset: str | None, changes: list[str], folder: Path) -> str | None:
    """The preset, or a file in the folder that changes it."""
    if not changes:
        return preset
    if preset is None:
        raise SystemExit("--set changes a preset: name it with --preset")
    # YAML takes numbers without a point, such as 1e-3, for texts.
    lines = [re.sub(r"=(\d+)(?=e)", r"=\1.0", change).replace("=", ": ", 1) for change in changes]
    path = folder / "changed.yaml"
    path.write_text("\n".join([f"based_on: {preset}", *lines, ""]), encoding="utf-8")
    return str(path)


def report_errors(make_engine: EngineMaker, standing: list[StandUp]) -> None:
    errors: dict[int, list[tuple[float, float]]] = {cycles: [] for cycles in HORIZONS}
    for one in standing:
        for row in range(one.first, min(one.end, one.recording.rows - max(HORIZONS)), 2):
            replay = Replay(make_engine, one.recording, row)
            for cycle, _ in enumerate(replay.run(max(HORIZONS)), 1):
                if cycle in errors:
                    errors[cycle].append(replay.errors())
            replay.engine.close()
    for cycles, found in errors.items():
        if found:
            apart, turned = np.mean(found, axis=0)
            print(f"torso after {cycles} cycles: {1000.0 * apart:5.1f} mm {np.degrees(turned):5.1f} deg")


def report_walks(make_engine: EngineMaker, recordings: list[Recording]) -> None:
    errors: dict[int, list[tuple[float, float]]] = {cycles: [] for cycles in WALK_HORIZONS}
    for recording in recordings:
        for row in find_walks(recording):
            replay = Replay(make_engine, recording, row)
            way = recording.position[row + max(WALK_HORIZONS), :2] - recording.position[row, :2]
            for cycle, engine in enumerate(replay.run(max(WALK_HORIZONS)), 1):
                if cycle in errors:
                    off = engine.state.position[0, :2] - recording.position[replay.row, :2]
                    errors[cycle].append((float(off @ way / np.linalg.norm(way)), replay.errors()[1]))
            replay.engine.close()
    for cycles, found in errors.items():
        if found:
            ahead, turned = np.mean(found, axis=0)
            errors_text = f"{1000.0 * ahead:5.1f} mm ahead, {np.degrees(turned):.1f} deg"
            print(f"{len(found)} walks, torso after {cycles} cycles: {errors_text}")


def report_stand_ups(make_engine: EngineMaker, standing: list[StandUp], verbose: bool) -> None:
    up = tried = 0
    for one in standing:
        for later in LATER:
            if one.first + later + LEFT > one.end:
                continue
            upright = upright_after(make_engine, one, later)
            tried += 1
            up += upright >= UPRIGHT
            if verbose:
                print(f"  {one.recording.name} {one.first:5} + {later:2}: upright {upright:.2f}")
    print(f"up: {up} of {tried}")


def report_kicks(make_engine: EngineMaker, kicks: list[Kick]) -> None:
    alike = 0
    for kick in kicks:
        speeds = [kick_speed(make_engine, kick, earlier) for earlier in EARLIER]
        share = statistics.median(speeds) / kick.speed
        alike += SOFTEST <= share <= HARDEST
        found = " ".join(f"{speed:5.1f}" for speed in speeds)
        print(f"kick {kick.speed:5.1f} m/s:{found}   median {share:.2f}   {kick.recording.name} {kick.row}")
    if kicks:
        print(f"kicks alike ({SOFTEST} to {HARDEST} of the recorded speed): {alike} of {len(kicks)}")


if __name__ == "__main__":
    main()
