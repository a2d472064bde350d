"""Where the environment asks for ROS 2's own security, nothing starts with less of it without a word."""

from pathlib import Path

import pytest

from test.rigs.processes import Process, simspark
from test.rigs.ros_processes import Domain

pytest.importorskip("mcap", reason="mcap is not installed")


def recorder(domain: Domain, folder: Path, **security: str) -> Process:
    """The command with ROS that starts fastest."""
    return simspark("record", str(folder / "topics.mcap"), environment={**domain.environment, **security})


def test_without_keys_nothing_starts_where_security_is_enforced_and_one_line_says_why(domain, tmp_path):
    keys = {"ROS_SECURITY_STRATEGY": "Enforce", "ROS_SECURITY_KEYSTORE": str(tmp_path)}
    with recorder(domain, tmp_path, ROS_SECURITY_ENABLE="true", **keys) as process:
        assert process.wait() == 2
        assert "Traceback" not in process.output
        assert process.lines[-1].startswith("simspark: ")
        assert not (tmp_path / "topics.mcap").exists()


def test_security_that_lets_nodes_without_keys_pass_is_named(domain, tmp_path):
    with recorder(domain, tmp_path, ROS_SECURITY_ENABLE="true") as process:
        process.wait_for_line("ROS_SECURITY_ENABLE is set without ROS_SECURITY_STRATEGY=Enforce")
