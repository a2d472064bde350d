"""The kernels are one source: compiled or not, whatever numpy is told of the processor, the numbers are the same."""

import os
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

SOURCES = sorted(path for path in FOLDER.rglob("*.py") if path.stem != "__init__")

# Naos that are driven against their stops fall onto each other and are hit by the ball: a hash of all that is read.
FALL = """
import hashlib, sys
import numpy as np
import simspark_ros.kernels
name, preset, *simspark_ros.kernels.__path__[:] = sys.argv[1:]
from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.settings import load_soccer_settings

engine = create_engine(name, preset or None)
engine.load_scene(load_soccer_settings().scene)
for row in range(2):
    engine.add_robot(load_robot("nao").model, (0.25 * row, 0.0, 0.45), 0.3 * row)
state = engine.state
count = state.joint_lower.size
control = JointControl(np.zeros(count), state.joint_max_effort.copy(), np.zeros(count))
numbers = np.random.default_rng(0)
read = hashlib.sha256()
for cycle in range(60):
    if cycle % 10 == 0:
        control.velocity[:] = numbers.normal(0.0, 3.0, count)
    if cycle % 20 == 0:
        engine.place_ball((-0.4, 0.02, 0.3), (4.0, 0.0, 0.0))
    engine.step(control)
    for name, value in sorted(vars(state).items()):
        if isinstance(value, np.ndarray):
            read.update(value.tobytes())
print(read.hexdigest(), sys.modules["simspark_ros.kernels.link_motion"].__file__)
"""

FEATURES = "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V3 X86_V4"


def fall(folder: Path, engine: str = "mujoco", preset: str = "", **environment: str) -> list[str]:
    """The hash of a fall with the kernels of a folder, and the file of one of them."""
    ended = subprocess.run(
        [sys.executable, "-c", FALL, engine, preset, folder],
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


def test_uncompiled_kernels_give_the_same_bits(tmp_path: Path) -> None:
    skip_without("mujoco")
    sources = shutil.copytree(FOLDER, tmp_path / "kernels", ignore=shutil.ignore_patterns("*.so"))
    compiled, uncompiled = fall(FOLDER), fall(sources)
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


# MuJoCo and J1 multiply no matrices by BLAS, which looks at the processor, too.
@pytest.mark.parametrize(
    ("engine", "preset", "more"),
    [
        ("mujoco", "", {"OPENBLAS_CORETYPE": "Prescott"}),
        ("ode", "", {}),
        ("bullet", "J1", {"OPENBLAS_CORETYPE": "Prescott"}),
        ("bullet", "legacy", {}),
        ("planar", "", {}),
    ],
    ids=["mujoco", "ode", "J1", "legacy", "planar"],
)
def test_what_numpy_chooses_for_the_processor_changes_no_bit(engine: str, preset: str, more: dict[str, str]) -> None:
    skip_without(engine)
    assert fall(FOLDER, engine, preset, NPY_DISABLE_CPU_FEATURES=FEATURES, **more) == fall(FOLDER, engine, preset)
