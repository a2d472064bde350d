import sys
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.physics.model import BallModel
from simspark_ros.rendering import egl
from simspark_ros.rendering.bodies import RobotLook
from simspark_ros.rendering.optics import CameraPose, Lens
from simspark_ros.rendering.renderer import BALL, CameraView, Layer, SceneRenderer
from test.rendering.scenes import BALL_RADIUS, FIELD, NAO, scene, standing

CAMERA = CameraPose.look_at((0.0, 0.0, 0.5), (3.0, 0.0, 0.3))


def drawn(by_egl: bool) -> CameraView:
    renderer = SceneRenderer(FIELD, BallModel(BALL_RADIUS, 0.026), egl=by_egl)
    renderer.set_robots([RobotLook(NAO.model)])
    renderer.place(scene(standing(NAO.model, 1.4, 0.3, 2.5), ball=(1.0, -0.2, 0.1)))
    view = renderer.view(CAMERA, Lens(), Layer.PICTURE | Layer.DEPTH | Layer.LABELS)
    renderer.close()
    return view


def test_opengl_draws_what_software_draws() -> None:
    found = egl.find_egl()
    if found is None:
        pytest.skip("no OpenGL by EGL on this machine")
    ours, theirs = drawn(by_egl=False), drawn(by_egl=True)
    # They differ at rims.
    assert (ours.labels == theirs.labels).mean() > 0.995
    assert (ours.labels == BALL).sum() == pytest.approx((theirs.labels == BALL).sum(), rel=0.05)
    both = (ours.labels == theirs.labels) & np.isfinite(ours.depth) & (ours.depth < 20.0)
    apart = np.abs(ours.depth[both] - theirs.depth[both])
    assert np.median(apart) < 1e-3 and np.quantile(apart, 0.99) < 0.03
    assert np.abs(ours.picture.astype(int) - theirs.picture).mean() < 3.0


def test_a_machine_without_egl_is_found_out_in_a_process_of_its_own(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(egl, "_TRIAL", "import os; os._exit(1)")
    assert egl.find_egl() is None
    monkeypatch.setattr(egl, "_TRIAL", "print('GL_RENDERER=llvmpipe (LLVM 15.0.6, 256 bits)')")
    found = egl.find_egl()
    assert found is not None and found.is_software
    assert not egl.Egl("NVIDIA H200/PCIe/SSE2").is_software
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no_python"))
    assert egl.find_egl() is None
