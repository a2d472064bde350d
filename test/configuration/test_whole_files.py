"""Files are written whole or not at all."""

from pathlib import Path

import pytest

from simspark_ros.configuration.whole_files import write_whole
from test.rigs.machine.full_disk import files_end_at


def test_a_file_and_its_folder_are_made(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file.yaml"
    write_whole(path, "new")
    assert path.read_text() == "new" and list(path.parent.iterdir()) == [path]


def test_on_a_full_disk_the_old_file_stays_and_no_other_is_left(tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    write_whole(path, "old")
    with files_end_at(20), pytest.raises(OSError, match="File too large"):
        write_whole(path, "new" * 100)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
