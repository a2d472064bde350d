"""The kernels are one source: compiled or not, whatever numpy is told of the processor, the numbers are the same."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simspark_ros.configuration.resources import resource
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry import link_motion
from simspark_ros.robots.catalogue import load_robot
from test.physics.engine_availability import skip_without
from test.rigs.kernels import FOLDER, same_bits

SOURCES = sorted(FOLDER.rglob("[a-z]*.py"))

# A Nao walks, two robots drive, two more Naos are driven against their stops, fall and are hit by the ball: a hash of
# all that is read and sensed.
MOTION = """
import hashlib, sys
import numpy as np
import simspark_ros.kernels
name, preset, *simspark_ros.kernels.__path__[:] = sys.argv[1:]
from simspark_ros.arena import Arena

read, numbers = hashlib.sha256(), np.random.default_rng(0)
with Arena(engine=name, preset=preset, seed=1) as arena:
    walker = arena.add("nao", position=(-2.0, 0.0))
    drivers = arena.add("scout", position=(-2.0, 2.0)), arena.add("omni", position=(-2.0, -2.0))
    fallers = [arena.add("nao", position=(0.31 * row, 0.0, 0.06), heading=0.3 * row) for row in range(2)]
    for cycle in range(60):
        if cycle % 10 == 0:
            walker.act("walk", 0.3, 0.0, 0.2)
            for robot in drivers:
                robot.act("wheels", 0.5, 0.2, 0.3)
            for robot in fallers:
                robot.set_velocities(numbers.normal(0.0, 3.0, len(robot.joints)))
        if cycle % 20 == 0:
            arena.place_ball(-0.4, 0.02, (4.0, 0.0, 0.0))
        arena.step()
        read.update(arena.state_hash().encode() + arena.percepts.values.tobytes())
        for _, value in sorted(vars(arena.world.engine.state).items()):
            if isinstance(value, np.ndarray):
                read.update(value.tobytes())
print(read.hexdigest(), sys.modules["simspark_ros.kernels.link_motion"].__file__)
"""

FEATURES = "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V3 X86_V4"


WITHOUT_CYTHON = "import sys\nsys.modules['cython'] = None\n"


def hashed(folder: Path, engine: str = "mujoco", preset: str = "", before: str = "", **environment: str) -> list[str]:
    """The hash of the robots' motion with the kernels of a folder, and the file of one of them."""
    ended = subprocess.run(
        [sys.executable, "-c", before + MOTION, engine, preset, folder],
        env=os.environ | environment,
        cwd=resource(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.split()


def test_all_kernels_are_compiled_from_their_present_sources() -> None:
    for source in SOURCES:
        modules = list(source.parent.glob(f"{source.stem}.*.so"))
        assert modules, f"{source.name} is not compiled: run make setup"
        newest = max(module.stat().st_mtime for module in modules)
        for written in (source, source.with_suffix(".pxd")):
            assert not written.exists() or newest >= written.stat().st_mtime, (
                f"{written.name} was changed: run make setup"
            )


@pytest.mark.parametrize("before", ["", WITHOUT_CYTHON], ids=["with_cython", "without_cython"])
def test_uncompiled_kernels_give_the_same_bits(tmp_path: Path, before: str) -> None:
    skip_without("mujoco")
    sources = shutil.copytree(FOLDER, tmp_path / "kernels", ignore=shutil.ignore_patterns("*.so"))
    compiled, uncompiled = hashed(FOLDER), hashed(sources, before=before)
    assert uncompiled[-1] == str(sources / "link_motion.py")
    assert compiled[-1] != uncompiled[-1]
    assert compiled[0] == uncompiled[0]


def test_uncompiled_link_motion_gives_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.random.default_rng(0)
    model = load_robot("scout").model
    positions, speeds = numbers.normal(size=(2, len(model.joints)))

    def moved(module: Any) -> Array:
        monkeypatch.setattr(link_motion, "LinkTree", module.LinkTree)
        motion = link_motion.LinkMotion(model)
        centres, rotations = motion.poses(positions)
        velocities = motion.velocities(centres, rotations, (1.0, 2.0, 3.0), (0.1, 0.2, 0.3), speeds)
        return np.hstack((centres, rotations.reshape(-1, 9), *velocities))

    same_bits("link_motion", moved)


# OpenBLAS has code of its own for AVX-512, AVX2 and processors without both; unset, it takes what suits the processor.
@pytest.mark.parametrize(
    ("engine", "preset"),
    [("mujoco", ""), ("ode", ""), ("bullet", "J1"), ("bullet", "legacy"), ("planar", "")],
    ids=["mujoco", "ode", "J1", "legacy", "planar"],
)
def test_what_numpy_and_openblas_choose_for_the_processor_changes_no_bit(engine: str, preset: str) -> None:
    skip_without(engine)
    old = {"NPY_DISABLE_CPU_FEATURES": FEATURES, "OPENBLAS_CORETYPE": "Prescott"}
    assert hashed(FOLDER, engine, preset, **old) == hashed(FOLDER, engine, preset)


# There nothing moves by them: pictures, rays, questions, refusals, learning, and sums that only have to be finite.
HARMLESS = (
    *("physics/geometry/mirrors.py", "physics/rays.py", "simulation/drawings.py", "simulation/entities/bounds.py"),
    *("motion/models/displacements.py", "motion/models/gaussian.py", "motion/wheels/wheel_drive.py"),
    *("physics/ode/bodies.py", "physics/ode/state_readout.py", "physics/bullet/table.py"),
    "simulation/velocity/locomotion.py",
)
MOVING = ("effectors", "motion", "perceptors", "physics", "robots", "simulation", "soccer", "trainer", "worlds")
CHOSEN = re.compile(
    r"np\.((arc)?(sin|cos|tan)[h2]?|exp\w*|log\w*|power|cbrt|angle|dot|v?inner|vdot|matmul|tensordot|convolve)\(|\.dot\("
    r"|np\.linalg\.(?!norm\(.*axis)"
)


def test_nothing_that_moves_the_world_is_computed_as_numpy_chooses_for_the_processor() -> None:
    """With AVX-512 numpy has other sines, angles and powers, which most machines cannot show."""
    package = FOLDER.parent
    files = [file for room in MOVING for file in (package / room).rglob("*.py") if file.parent.name != "detection"]
    found = {file.relative_to(package).as_posix() for file in files if CHOSEN.search(file.read_text("utf-8"))}
    assert found == set(HARMLESS)
