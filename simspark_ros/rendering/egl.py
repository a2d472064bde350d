"""OpenGL without a display, by the EGL plug-in of PyBullet, with a GPU or with Mesa's software instead.

If EGL is missing or broken, the plug-in ends the process that loads it. So `find_egl` tries in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from simspark_ros.physics.quiet_import import silenced
from simspark_ros.rendering.library import pybullet
from simspark_ros.rendering.meshes import Mesh

_TRIAL = "from simspark_ros.rendering import egl; egl.try_egl()"
_PATIENCE = 60.0
"""Longest duration of a trial, s."""
_NAME = "GL_RENDERER="
_SOFTWARE = ("llvmpipe", "softpipe", "swrast", "SwiftShader")


class EglError(Exception):
    """OpenGL cannot be used here."""


@dataclass(frozen=True)
class Egl:
    """The GPU or software that draws, by its name in OpenGL."""

    name: str

    @property
    def is_software(self) -> bool:
        """Whether software draws in place of a GPU."""
        return any(word in self.name for word in _SOFTWARE)


def find_egl() -> Egl | None:
    """The GPU or software with which EGL would draw on this machine; None if EGL cannot draw."""
    try:
        trial = subprocess.run([sys.executable, "-c", _TRIAL], capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = trial.stdout.decode(errors="replace").splitlines()
    names = [line.removeprefix(_NAME).strip() for line in lines if line.startswith(_NAME)]
    return Egl(names[0]) if trial.returncode == 0 and names else None


def try_egl() -> None:
    """Draw a small picture; the plug-in prints the name of the GPU or software that draws."""
    client = pybullet.connect(pybullet.DIRECT)
    _load(client)
    identity = [float(row == column) for row in range(4) for column in range(4)]
    pybullet.getCameraImage(
        8, 8, identity, identity, renderer=pybullet.ER_BULLET_HARDWARE_OPENGL, physicsClientId=client
    )
    pybullet.disconnect(client)


def load_egl(client: int) -> None:
    """Have OpenGL draw a world of PyBullet. Visual shapes have to be files (`MeshFiles`).

    Raises:
        EglError: PyBullet has no such plug-in.
    """
    with silenced(1), silenced(2):
        _load(client)


def _load(client: int) -> None:
    spec = find_spec("eglRenderer")
    if spec is None or spec.origin is None:
        raise EglError("PyBullet was built without its plug-in eglRenderer")
    if pybullet.loadPlugin(spec.origin, "_eglRendererPlugin", physicsClientId=client) < 0:
        raise EglError(f"PyBullet cannot load its plug-in {spec.origin}")


class MeshFiles:
    """Meshes as OBJ files, which PyBullet reads when bodies are made of them; they last until `close`."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="simspark_meshes_")
        self._written = 0

    def write(self, mesh: Mesh) -> str:
        """Write a mesh and return the file's path."""
        self._written += 1
        path = Path(self._folder.name) / f"{self._written}.obj"
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
        # Without coordinates of a texture PyBullet takes no normals.
        lines += ["vt 0 0", *(f"vn {x!r} {y!r} {z!r}" for x, y, z in mesh.normals.tolist())]
        lines += ["f " + " ".join(f"{i + 1}/1/{i + 1}" for i in triangle) for triangle in mesh.triangles.tolist()]
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        return str(path)

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()
