from contextlib import closing
from pathlib import Path

import pytest

from simspark_stress import own_domain
from simspark_stress.own_domain import OwnDomain


def test_a_domain_has_one_holder_at_a_time():
    with closing(OwnDomain()) as first:
        with closing(OwnDomain()) as second:
            assert second.number != first.number
        with closing(OwnDomain()) as third:
            assert third.number == second.number


def test_what_killed_processes_left_in_a_domain_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = OwnDomain()
    port = 7400 + 250 * first.number + 11
    left = [
        tmp_path / name for name in (f"fastdds_port{port}", f"fastdds_port{port}_el", f"sem.fastdds_port{port}_mutex")
    ]
    kept = tmp_path / f"fastdds_port{port + 250}"
    for path in (*left, kept):
        path.touch()
    first.close()
    monkeypatch.setattr(own_domain, "_SHARED", tmp_path)
    again = OwnDomain()
    again.close()
    assert again.number == first.number
    assert [*tmp_path.iterdir()] == [kept]
