import gzip
import os
from pathlib import Path

import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.simulation.logs.log_file import LogFile
from test.rigs.machine.full_disk import files_end_at

NAMES = ("run.log", "run.log.gz")


def content(path: Path) -> bytes:
    """What can be read of a file whose writer may not have closed it."""
    if path.suffix != ".gz":
        return path.read_bytes()
    data = b""
    with gzip.open(path) as file:
        try:
            while piece := file.read1(100):
                data += piece
        except EOFError:
            pass
    return data


@pytest.mark.parametrize("name", NAMES)
def test_every_write_can_be_read_at_once_and_a_file_that_is_deleted_is_reported_at_the_end(tmp_path, name):
    path, warnings = tmp_path / name, list[str]()
    log, other = (LogFile(one, "log", warnings.append) for one in (path, tmp_path / f"deleted_{name}"))
    for text, so_far in ((b"one\n", b"one\n"), (b"two\n", b"one\ntwo\n")):
        log.write(text)
        assert content(path) == so_far
        other.write(text)
        (tmp_path / f"deleted_{name}").unlink(missing_ok=True)
    log.close()
    assert log.complete and not warnings
    other.close()
    gone = "was deleted while it was written; its content is lost"
    assert warnings == [f"log {tmp_path / f'deleted_{name}'}: {gone}"]


@pytest.mark.parametrize("name", NAMES)
def test_a_full_disk_ends_the_file_and_is_reported_once_and_at_the_end(tmp_path, name):
    warnings: list[str] = []
    log = LogFile(tmp_path / name, "event log", warnings.append)
    with files_end_at(2000):
        for _ in range(50):
            log.write(os.urandom(100))
        assert len(warnings) == 1 and f"event log {tmp_path / name}: cannot be written any more" in warnings[0]
    # What comes after a gap would mislead, even if there is room again.
    log.write(b"later")
    log.close()
    assert not log.complete
    assert len(warnings) == 2 and "its last part was not written" in warnings[1]
    assert b"later" not in content(tmp_path / name) and len(content(tmp_path / name)) > 1500


@pytest.mark.parametrize("name", NAMES)
def test_a_file_ends_before_its_largest_size(tmp_path: Path, name: str) -> None:
    warnings: list[str] = []
    log = LogFile(tmp_path / name, "hash log", warnings.append, 0.001)
    for _ in range(30):
        log.write(os.urandom(99) + b"\n")
    log.write(b"")
    # Random data gets longer by compression.
    assert 800 < (tmp_path / name).stat().st_size <= 1020
    log.close()
    why = "has reached its largest size, max_log = 0.001 MB; the log ends here, but the run goes on"
    assert warnings == [f"hash log {tmp_path / name}: {text}" for text in (why, "its last part was not written")]


def test_a_file_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"event log .*none/log: cannot be written: No such .*; choose ano"):
        LogFile(tmp_path / "none" / "log", "event log", print)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_device_that_is_full_is_reported():
    warnings: list[str] = []
    log = LogFile(Path("/dev/full"), "hash log", warnings.append)
    log.write(b"one\n")
    log.close()
    assert "hash log /dev/full: cannot be written any more: No space left on device" in warnings[0]
    assert "its last part was not written" in warnings[1]
