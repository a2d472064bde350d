"""Matches of a tournament that others play: files and table come here, and one that fails costs the others nothing."""

import json
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from matches.test.test_tournament import Played, written
from simspark_matches.result import MatchResult
from simspark_matches.settings import MatchSettings, TeamSettings
from simspark_matches.spread import FarMatch, play_spread
from simspark_matches.tournament import Tournament, TournamentFile
from simspark_ros.configuration.errors import UserError

CUP = TournamentFile(tuple(TeamSettings("wave", name) for name in ("Red", "Blue", "Green")))


class Workers:
    """Threads instead of a cluster."""

    def __init__(self) -> None:
        self.pool, self.cancelled = ThreadPoolExecutor(2), threading.Event()

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return self.pool.submit(work, *arguments)

    def cancel(self, works: Iterable[Future[Any]]) -> None:
        self.cancelled.set()


class FarPlayed:
    """Plays without playing, in a folder of its own; the match of a team fails."""

    def __init__(self, folder: Path, failing: str = "") -> None:
        self._folder, self._failing = folder, failing

    def __call__(self, settings: MatchSettings, title: str) -> FarMatch:
        if self._failing and self._failing in title:
            raise UserError("left: there is no directory /there")
        folder = self._folder / title
        folder.mkdir()
        fixture = next(one for one in Tournament(CUP, self._folder).fixtures if one.settings == settings)
        result: MatchResult = Played()(fixture, folder)
        return FarMatch(result, {"result.json": (folder / "result.json").read_bytes(), "left/1.log": b"hello\n"})


@pytest.fixture
def workers() -> Workers:
    return Workers()


def test_a_spread_tournament_has_the_files_and_table_of_one_played_here(tmp_path: Path, workers: Workers) -> None:
    told: list[str] = []
    spread, here = Tournament(CUP, tmp_path / "spread"), Tournament(CUP, tmp_path / "here")
    assert play_spread(spread, workers, told.append, play=FarPlayed(tmp_path)) and here.play(Played())
    assert len(told) == 3 and all(one.startswith("match ") for one in told)
    for name in ("table.json", "table.txt", "1-Red-Blue/result.json"):
        assert (tmp_path / "spread" / name).read_text() == (tmp_path / "here" / name).read_text()
    assert (tmp_path / "spread" / "1-Red-Blue" / "left" / "1.log").read_text() == "hello\n"
    assert not Tournament(CUP, tmp_path / "spread").missing


@pytest.mark.parametrize(("failing", "reason"), [("Red - Blue", "no directory /there"), ("", "Is a directory")])
def test_a_match_that_fails_or_cannot_be_written_is_named_and_stays_missing_and_the_others_count(
    tmp_path: Path, workers: Workers, failing: str, reason: str
) -> None:
    told: list[str] = []
    played = Tournament(CUP, tmp_path / "cup")
    if not failing:
        (tmp_path / "cup" / "1-Red-Blue" / "left" / "1.log").mkdir(parents=True)
    assert play_spread(played, workers, told.append, play=FarPlayed(tmp_path, failing))
    assert [one.teams for one in Tournament(CUP, tmp_path / "cup").missing] == [("Red", "Blue")]
    (failed,) = (one for one in told if "has no result" in one)
    assert "Red - Blue" in failed and reason in failed
    assert not json.loads((tmp_path / "cup" / "table.json").read_text())["complete"]


def test_an_interrupt_ends_what_is_played(tmp_path: Path, workers: Workers) -> None:
    def play(settings: MatchSettings, title: str) -> FarMatch:
        assert workers.cancelled.wait(10.0)
        raise KeyboardInterrupt

    assert not play_spread(Tournament(CUP, tmp_path / "cup"), workers, print, lambda: True, play)


def test_a_cluster_has_no_page_and_without_ray_the_extra_is_named(tmp_path: Path, monkeypatch, refused) -> None:
    words = ("tournament", written(tmp_path), "--ray")
    assert "leave one of the two out" in refused(*words, "--viewer")
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "pip install './matches[ray]'" in refused(*words)
