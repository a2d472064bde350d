"""The package without the extra `ros`, other distributions beside it, as pip installs them into an environment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simspark_ros.configuration.resources import resource

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

DISTRIBUTIONS = ("matches", "recording", "watching")
FOLDERS = ("simspark_ros", "msg", "srv", "action", "config", "urdf", "launch", "rviz", "scripts", *DISTRIBUTIONS)
FILES = ("setup.py", "pyproject.toml", "package.xml", "README.md")


def run(*command: str | Path, environment: dict[str, str], cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def simspark(tmp_path_factory):
    """Runs `simspark` of the fresh environment; returns what it prints."""
    folder = tmp_path_factory.mktemp("without_ros")
    # Nothing of this environment may fill in for what is missing there.
    hidden = ("PYTHON", "AMENT", "LD_LIBRARY", "ROS_", "_ROS_", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    # Kernels that are not optimised compile in a third of the time.
    environment |= {"SIMSPARK_WITHOUT_ROS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "CFLAGS": "-O0"}
    source = folder / "source"
    source.mkdir()
    run("cp", "-rp", *(resource() / name for name in FOLDERS + FILES), source, environment=environment, cwd=folder)
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", environment=environment, cwd=folder)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "venv" / "bin" / "python")]
    wheel = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(folder)]
    sources = [str(source), *(str(source / name) for name in DISTRIBUTIONS)]
    run(*wheel, *sources, environment=environment, cwd=folder)
    run(*pip, "install", "--no-compile", *folder.glob("*.whl"), environment=environment, cwd=folder)

    def call(*arguments: str) -> str:
        return run(folder / "venv" / "bin" / "simspark", *arguments, environment=environment, cwd=folder)

    return call


def test_it_serves_reads_logs_plays_a_match_and_says_what_to_install_for_ros(simspark):
    ports = ("--agent-port", "0", "--monitor-port", "0", "--pacing", "fast", "--duration", "1")
    assert "agents " in simspark("serve", *ports, "--no-ros", "--log", "match.log")
    assert "pictures" in simspark("video", "match.log", "-o", "match.gif", "--size", "64x36")
    output = simspark("serve", "--agent-port", "0", "--monitor-port", "0", "--pacing", "fast", "--duration", "1")
    assert "rclpy is not installed; pip install 'simspark_ros[ros]', or use --no-ros" in output
    teams = ("--left", "demo", "--left-name", "A", "--right", "demo", "--right-name", "B", "--players", "1")
    output = simspark("match", *teams, "--half-time", "1", "--kick-off-wait", "0.1", "--join-limit", "120")
    assert "s of game" in output
