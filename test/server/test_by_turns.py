"""`benchmarks/by_turns.py` with servers that are known by a command alone."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

BY_TURNS = Path(__file__).parents[2] / "benchmarks" / "by_turns.py"

SERVE = (
    f"exec {sys.executable} -m simspark_ros.cli serve --no-ros --pacing lockstep --headless --silent-timeout 0"
    " --agent-port {agent_port} --monitor-port {monitor_port}"
)


def by_turns(command: str) -> subprocess.CompletedProcess[str]:
    sizes = ["--agents", "2", "--engines", "bullet", "--rounds", "1", "--cycles", "50", "--warm-up", "10", "--no-ros"]
    arguments = [sys.executable, str(BY_TURNS), "--against-command", command, *sizes]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=True)


@pytest.mark.slow
def test_agents_join_a_server_that_a_command_starts_and_both_servers_are_timed() -> None:
    printed = by_turns(SERVE).stdout
    row = re.search(r"bullet +2 +([\d.]+) +([\d.]+) +([\d.]+).* of 2$", printed, re.MULTILINE)
    assert row, printed
    assert all(float(number) > 0.0 for number in row.groups())


def test_a_server_that_opens_no_port_is_named_with_what_it_printed() -> None:
    finished = by_turns("echo no licence; exit 3")
    assert "no round was completed" in finished.stdout
    assert "does not listen on port" in finished.stderr and "no licence" in finished.stderr
