"""Robots' files that want too much, or what is not theirs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.files.formats import read_format


def assert_refused(folder: Path, name: str, text: str, told: str, *, secret: str, seconds: float) -> None:
    """Assert that a file is refused by its name and with a reason, soon.

    Args:
        folder: empty folder; the file lies in a folder inside, beside which lies `secret` with the same suffix.
        name: name of the file.
        text: content of the file.
        told: pattern of the message.
        secret: content of a file that is not the robot's.
        seconds: processor time within which the file is refused, s.
    """
    (folder / "secret").with_suffix(Path(name).suffix).write_text(secret, encoding="utf-8")
    path = folder / "robots" / name
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    start = time.process_time()
    with pytest.raises(UserError, match=told) as caught:
        read_format(path, 0, LimitSettings())
    assert time.process_time() - start < seconds
    assert name in str(caught.value)
