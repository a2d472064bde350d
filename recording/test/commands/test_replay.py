import sys

import pytest

from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
from test.rigs.processes import Process, finished


@pytest.mark.parametrize(
    ("speed", "complaint"), [("0", "must be above 0, not '0'"), ("1", "none.log: cannot be read: No")]
)
def test_a_wrong_argument_is_named(speed, complaint):
    done = finished("replay", "none.log", "--speed", speed)
    assert done.status == 2 and complaint in done.errors and "Traceback" not in done.errors


def frames(process: Process) -> list[bytes]:
    """What a monitor gets until the replay ends, without a complaint."""
    seen = []
    port = int(process.found(r"serverPort=(\d+)"))
    with ClassicClient("127.0.0.1", port) as client, pytest.raises(ConnectionLostError):
        while True:
            seen.append(client.receive())
    assert process.wait() == 0
    return seen


def test_a_log_needs_neither_ros_nor_mcap(logged_match, tmp_path):
    words = ["replay", str(tmp_path / "match.log"), "--monitor-port", "0", "--speed", "1e6"]
    script = "import sys; sys.modules |= dict.fromkeys(('mcap', 'rclpy')); "
    script += f"from simspark_ros.cli import main; sys.exit(main({words}))"
    with Process([sys.executable, "-c", script]) as process:
        assert frames(process) == logged_match.seen
