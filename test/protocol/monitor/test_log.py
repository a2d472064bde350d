"""Monitor logs: written frames can be read at any moment and add up to the state of a monitor."""

import gzip

import pytest

from simspark_ros.protocol.monitor.log import LogError, read_frames


def test_a_frame_that_was_cut_off_is_left_out(tmp_path, recorded):
    data = b"".join(frame + b"\n" for frame in recorded)
    path, packed = tmp_path / "match.log", tmp_path / "match.log.gz"
    path.write_bytes(data[:-20])
    assert list(read_frames(path)) == recorded[:-1]
    packed.write_bytes(gzip.compress(data)[:-20])
    frames = list(read_frames(packed))
    assert frames == recorded[: len(frames)]


@pytest.mark.parametrize(
    ("name", "data", "complaint"),
    [
        ("a.log", b"", "it is empty"),
        ("a.log", b"hello\n", "its first line is not a full frame"),
        ("a.log", b"((time 1))(RDS 0 1)()\n", "its first line is not a full frame"),
        ("a.log.gz", b"((time 1))(RSG 0 1)()\n", "cannot be read"),
        ("a.log", None, "No such file"),
    ],
)
def test_what_is_no_log_is_named(tmp_path, name, data, complaint):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(LogError, match=complaint) as caught:
        list(read_frames(tmp_path / name))
    assert name in str(caught.value)
