import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest import mock

import pytest

from simspark_ros.configuration.copies import Copy, Original, read_all
from test.rigs.processes import gone
from test.rigs.waiting import DEADLINE, until

PROGRAM = """
import os, sys, time
open("imports", "a").write("once\\n")
def main():
    print(*sys.argv, os.environ["WISH"], os.path.basename(os.getcwd()), sep=",")
    if sys.argv[1] == "raise":
        raise RuntimeError("not today")
    if sys.argv[1] == "path":
        print(os.path.basename(sys.path[0]))
    if sys.argv[1] == "wait":
        sys.stdout.flush()
        time.sleep(1000)
    return 3
"""


class Programs:
    """Copies of a program, what they print, and where."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        (folder / "program.py").write_text(PROGRAM)
        self.original = Original({**os.environ, "PYTHONPATH": f"{folder}:{os.getcwd()}", **variables})

    def start(self, word: str, program: str = "program", **variables: str) -> tuple[Copy, int]:
        reading, writing = os.pipe()
        copy = self.original.copy(program, [word], {**os.environ, "WISH": "wish", **variables}, (writing, writing))
        os.close(writing)
        return copy, reading

    def run(self, word: str = "hello", program: str = "program", **variables: str) -> tuple[int, str]:
        copy, reading = self.start(word, program, **variables)
        text = read_all(reading, DEADLINE).decode()
        os.close(reading)
        return copy.wait(DEADLINE), text


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Programs]:
    made = Programs(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield made
    made.original.close()


def test_copies_of_a_program_imported_once_have_arguments_environment_folder_and_exit_status(programs) -> None:
    assert [programs.run("hello") for _ in range(3)] == [(3, f"program,hello,wish,{programs.folder.name}\n")] * 3
    assert (programs.folder / "imports").read_text() == "once\n"


def test_a_program_may_be_imported_before_its_first_copy(programs: Programs, tmp_path: Path) -> None:
    programs.original.prepare("program")
    imports = tmp_path / "imports"
    until(lambda: imports.exists() and imports.read_text() == "once\n")
    assert programs.run()[0] == 3
    assert imports.read_text() == "once\n"


@pytest.mark.parametrize(("variables", "first"), [({}, "elsewhere"), ({"PYTHONSAFEPATH": "1"}, "programs")])
def test_a_copy_finds_modules_in_its_folder_unless_the_path_is_to_be_safe(
    variables: dict[str, str], first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if variables and sys.version_info < (3, 11):
        pytest.skip("Python 3.10 has no safe path")
    for name in ("programs", "elsewhere"):
        (tmp_path / name).mkdir()
    programs = Programs(tmp_path / "programs", **variables)
    monkeypatch.chdir(tmp_path / "elsewhere")
    with closing(programs.original):
        assert programs.run("path")[1].splitlines()[-1] == first


def test_a_removed_working_folder_keeps_no_copy_from_running(programs: Programs, tmp_path: Path, monkeypatch) -> None:
    folder = tmp_path / "removed"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert programs.run("raise")[0] == 1


def test_an_exception_is_printed_a_signal_told_and_output_that_does_not_end_given_up(programs: Programs) -> None:
    status, text = programs.run("raise")
    assert (status, text.splitlines()[-1]) == (1, "RuntimeError: not today")
    copy, reading = programs.start("wait")
    assert copy.poll() is None
    copy.kill()
    assert copy.wait(DEADLINE) == -signal.SIGKILL
    os.close(reading)
    copy, reading = programs.start("wait")
    with pytest.raises(subprocess.TimeoutExpired):
        read_all(reading, 0.05)
    os.close(reading)
    copy.kill()


@pytest.mark.parametrize(
    ("name", "reason"), [("no_such_program", "No module named 'no_such_program'"), ("broken", "ZeroDivisionError")]
)
def test_a_program_that_cannot_be_imported_says_so_and_others_go_on(programs: Programs, name: str, reason: str) -> None:
    (programs.folder / "broken.py").write_text("1 / 0")
    status, text = programs.run(program=name)
    assert status == 1 and reason in text and programs.run()[0] == 3


def test_copies_end_with_the_process_that_is_copied_and_a_new_one_starts_on_demand(programs: Programs) -> None:
    copy, reading = programs.start("wait")
    assert os.read(reading, 1) == b"p"
    os.kill(parent(copy.pid), signal.SIGKILL)
    until(lambda: gone(copy.pid))
    os.close(reading)
    assert programs.run()[0] == 3


def test_a_request_that_was_broken_off_half_way_leaves_the_next_one_whole_whatever_its_size(programs) -> None:
    broken_off = mock.patch("simspark_ros.configuration.copies.send_handle", side_effect=KeyboardInterrupt)
    with broken_off, pytest.raises(KeyboardInterrupt):
        programs.original.copy("program", ["hello"], os.environ, (1, 2))
    status, text = programs.run(**{f"WISH_{number}": "x" * 100_000 for number in range(10)})
    assert status == 3 and "hello,wish" in text


def test_a_process_with_more_files_than_select_takes_has_copies(programs: Programs) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(2048, hard), hard))
    many = [os.open(os.devnull, os.O_RDONLY) for _ in range(1050)]
    try:
        assert programs.run()[0] == 3
    finally:
        for number in many:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def parent(pid: int) -> int:
    """Id of the parent of a process."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
