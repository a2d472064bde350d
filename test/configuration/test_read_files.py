import os
from pathlib import Path

import pytest

from simspark_ros.configuration.read_files import kept_until_edited, note_file, noted_files
from simspark_ros.configuration.whole_files import write_whole
from test.rigs.machine.full_disk import files_end_at

MADE: list[str] = []


@kept_until_edited(2)
def read(path: Path) -> str:
    note_file(path)
    MADE.append(path.name)
    return path.read_text() if path.exists() else ""


@kept_until_edited(2)
def doubled(path: Path) -> str:
    return 2 * read(path)


@pytest.fixture(autouse=True)
def begin() -> None:
    MADE.clear()


def write(path: Path, text: str, seconds: int = 1) -> Path:
    """A file that nobody has just written."""
    path.write_text(text)
    os.utime(path, (seconds, seconds))
    return path


def test_a_result_is_kept_and_hears_of_files_that_others_read_for_it(tmp_path: Path) -> None:
    path = write(tmp_path / "a", "x")
    assert [doubled(path), doubled(path), read(path)] == ["xx", "xx", "x"] and MADE == ["a"]
    write(path, "y", 2)
    assert [doubled(path), read(path)] == ["yy", "y"] and MADE == ["a", "a"]


def test_a_file_that_comes_goes_or_was_just_written_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert read(path) == read(path) == "" and MADE == ["a"] and read(write(path, "x")) == "x"
    path.unlink()
    assert read(path) == ""
    path = tmp_path / "a"
    for text in "xyz" * 10:
        path.write_text(text)
        assert read(path) == text


def test_the_oldest_results_go_and_a_block_hears_of_kept_ones(tmp_path: Path) -> None:
    paths = [write(tmp_path / name, name) for name in "abc"]
    for path in paths:
        read(path)
    with noted_files() as files:
        read(paths[2])
    assert list(files) == [str(paths[2])] and MADE == ["a", "b", "c"]
    read(paths[0])
    assert MADE == ["a", "b", "c", "a"]


def test_a_file_and_its_folder_are_made_and_on_a_full_disk_the_old_one_stays_alone(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file.yaml"
    write_whole(path, "new")
    assert path.read_text() == "new" and list(path.parent.iterdir()) == [path]
    write_whole(path, "old")
    with files_end_at(20), pytest.raises(OSError, match="File too large"):
        write_whole(path, "new" * 100)
    assert path.read_text() == "old" and list(path.parent.iterdir()) == [path]
