"""Plays the matches of a tournament on a cluster, as many at a time as it has cores."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from simspark_matches.cluster import fate
from simspark_matches.progress import MatchProgress
from simspark_matches.result import MatchResult
from simspark_matches.runner import play_match
from simspark_matches.settings import RESULT_FILE, MatchSettings
from simspark_matches.tournament import Fixture, Tournament

TICK = 0.2
"""Time between two checks for an interrupt of the tournament, s."""

END_PATIENCE = 30.0
"""Longest time for interrupted matches to end their processes, s."""

PROGRESS_FILE = "progress.log"
"""File with the lines that `simspark match` would have printed."""


class Workers(Protocol):
    """Does work elsewhere; see `Cluster`."""

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """See `Cluster.submit`."""

    def cancel(self, works: Iterable[Future[Any]]) -> None:
        """See `Cluster.cancel`."""


@dataclass(frozen=True)
class FarMatch:
    """A match that was played elsewhere: its result, and the contents of all files by their paths."""

    result: MatchResult
    files: dict[str, bytes]


def play_far_match(settings: MatchSettings, title: str) -> FarMatch:
    """Play a match on this machine in a folder that is removed; errors as of `play_match`."""
    with tempfile.TemporaryDirectory(prefix="simspark-") as name:
        folder = Path(name)
        with (folder / PROGRESS_FILE).open("w", encoding="utf-8") as output:
            result = play_match(settings, folder, MatchProgress(title, output))
        result.write(folder)
        files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return FarMatch(result, files)


def play_spread(
    played: Tournament,
    workers: Workers,
    report: Callable[[str], object],
    interrupted: Callable[[], object] = lambda: False,
    play: Callable[[MatchSettings, str], FarMatch] = play_far_match,
) -> bool:
    """Play the missing matches of a tournament, and write files and table here whenever one has ended.

    A match that fails, or whose files cannot be written, is reported, stays missing, and does not affect the others.
    Returns whether nothing interrupted.
    """
    running = {workers.submit(play, one.settings, played.title(one)): one for one in played.missing}
    while running:
        done, _ = wait(running, TICK, FIRST_COMPLETED)
        for future in done:
            _take_up(played, running.pop(future), future, report)
        if running and interrupted():
            workers.cancel(running)
            wait(running, END_PATIENCE)
            return False
    played.write()
    return True


def _take_up(played: Tournament, fixture: Fixture, future: Future[FarMatch], report: Callable[[str], object]) -> None:
    title, folder = played.title(fixture), played.folder(fixture)
    try:
        match = future.result()
        _write(match.files, folder)
    except Exception as error:
        report(f"{title}: this match has no result; the same command plays it again: {fate(error)}")
        return
    played.note(fixture, match.result)
    report(f"{title}\n{match.result.summary(folder)}")


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files of a match; without all of them it has no result."""
    try:
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError:
        with suppress(OSError):
            (folder / RESULT_FILE).unlink()
        raise
