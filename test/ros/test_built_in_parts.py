"""A built-in sensor and actuator of ARCHITECTURE.md's rows are topics by what they declare."""

import sys
from pathlib import Path

from std_msgs.msg import Float64

from test.rigs import built_in_parts
from test.rigs.ros_processes import Domain, Observer, Process

RIGS = Path(built_in_parts.__file__).parent
START = f"import sys; sys.path.append({str(RIGS)!r}); from built_in_parts import register; register()\n"
START += "from simspark_ros.ros.simulator_node import main; raise SystemExit(main())"


def test_both_are_topics(domain: Domain, tmp_path: Path) -> None:
    process = Process(domain, f"robots:=['h={built_in_parts.hopper(tmp_path)}']", command=[sys.executable, "-c", START])
    process.wait_for_line("ready")
    observer = Observer(domain)
    with observer.hear(Float64, "/h/alt/belly") as altitude:
        before = altitude.wait()[0].data
        hop = observer.publisher(Float64, "/h/hop")
        hop.publish(Float64(data=3.0))
        observer.until(lambda: altitude.messages[-1].data > before + 0.2, "the robot hopping")
        hop.publish(Float64(data=-1.0))
        process.wait_for_line("hop of robot 'h' refused: hop: speed must not be negative")
    observer.close()
    assert process.end() == 0, process.output
    assert "Traceback" not in process.output
