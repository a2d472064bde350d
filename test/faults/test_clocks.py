"""The wall clock of a server is stepped while a good client plays in real time."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from test.rigs.processes import simspark
from test.rigs.witness import Witness, port

LIBRARY = next(map(str, Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")), "")
STEPPED = pytest.mark.skipif(not LIBRARY, reason="the clock cannot be stepped: apt install libfaketime")
pytestmark = [pytest.mark.slow, STEPPED]
SERVE = ("serve", "--agent-port=0", "--monitor-port=0", "--headless", "--pacing=realtime", "--late-cycles=slip")
PRINT_TIME = (sys.executable, "-c", "import time; print(time.time())")


@pytest.mark.parametrize("with_ros", [False, True], ids=["alone", "ros"])
def test_a_clock_that_is_stepped_changes_nothing(
    using: Callable[[Any], Any], request: pytest.FixtureRequest, tmp_path: Path, with_ros: bool
) -> None:
    if with_ros:
        pytest.importorskip("rclpy")
    (clock := tmp_path / "clock").write_text("+0")
    # A monotonic clock is never stepped.
    stepped = {"LD_PRELOAD": LIBRARY, "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1"}
    stepped |= {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
    usual = request.getfixturevalue("domain").environment if with_ros else os.environ
    options = () if with_ros else ("--no-ros",)
    server = using(simspark(*SERVE, *options, environment={**usual, **stepped}))
    witness = using(Witness(port(server, "agents"), server))
    for step in (86400, -86400):
        clock.write_text(f"{step:+}")
        printed = subprocess.run(PRINT_TIME, env={**os.environ, **stepped}, capture_output=True, check=True)
        assert abs(float(printed.stdout) - time.time() - step) < 60.0
        witness.begin()
        # What waited by the stepped clock would wait for a day.
        witness.assert_unharmed()
    status = server.end()
    assert "ended after" in server.output
    # After a step back Fast DDS may crash in its shared memory while a node is destroyed, also that of plain rclpy.
    assert status == 0 or (with_ros and status == -signal.SIGSEGV), server.output
