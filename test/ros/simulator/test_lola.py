"""LoLA's sockets in the process of the simulator node."""

import signal
import socket
from contextlib import suppress
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from sensor_msgs.msg import Imu

from test.rigs.ros_processes import Domain, Observer, Process
from test.rigs.waiting import DEADLINE, until
from test.ros.entities import deleted, spawned


def connected(path: Path) -> socket.socket:
    driver = socket.socket(socket.AF_UNIX)
    # It is there for a moment before it is served.
    until(lambda: driver.connect_ex(str(path)) == 0)
    driver.settimeout(DEADLINE)
    return driver


def received(driver: socket.socket) -> bytes:
    return driver.recv(896, socket.MSG_WAITALL)


def of_driver(report: DiagnosticArray) -> bool:
    statuses = (status for status in report.status if "driver of nao_lola 1" in status.name)
    return any(value.key == "rejected: no map" and value.value == "1" for status in statuses for value in status.values)


def test_robots_of_a_node_have_sockets_and_drivers_are_in_the_diagnostics(domain: Domain, tmp_path: Path) -> None:
    simulator = Process(domain, f"lola:={tmp_path}", "robots:=['nao_lola', 'nao']", "world:=spl_12ms")
    observer = Observer(domain)
    try:
        simulator.wait_for_line("ready")
        with connected(tmp_path / "nao_lola") as driver:
            assert len(received(driver)) == 896
            driver.sendall(b"\x07")
            with observer.hear(DiagnosticArray, "/diagnostics") as reports:
                observer.until(lambda: any(map(of_driver, reports.messages)), "a driver with a bad message")
            with observer.hear(Imu, "/nao_lola/imu") as imu:
                observer.until(lambda: imu.messages and imu.messages[-1].linear_acceleration.z < -9.0, "gravity")
        spawned(observer, "b", "nao_lola")
        with connected(tmp_path / "b") as driver:
            assert len(received(driver)) == 896
            deleted(observer, "b")
            # It ends with a reset if something is not read yet.
            with suppress(ConnectionError):
                while received(driver):
                    driver.sendall(b"\x80")
        assert [path.name for path in tmp_path.iterdir()] == ["nao_lola"]
    finally:
        observer.close()
        simulator.end(signal.SIGINT)
    assert not list(tmp_path.iterdir())
