"""Board and news as HTML; names of teams come from clients and are never trusted."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from html import escape

from simspark_ros.protocol.monitor.reader import FoulReport, MonitorReader
from simspark_ros.rendering.drawing.bodies import TEAM_COLOURS
from simspark_ros.soccer.game_state import FoulKind
from simspark_watching.broadcast.board import LONGEST_NAME, Board, TeamBoard, clock, in_words
from simspark_watching.viewer.front import TITLE

MESSAGES = 8
"""Number of messages that are kept."""

SCORERS = 5
"""Goals of a team that the board names, the last ones."""

_EXPECTED = re.compile("PlayOn|Goal_|pass_")
"""Play modes that are no news: they follow others, or the score tells them."""

_SIDES = {1: "left", 2: "right"}


class News:
    """The last messages of the referee."""

    def __init__(self) -> None:
        self._messages: deque[tuple[str, str, int]] = deque(maxlen=MESSAGES)
        self._mode = ""
        self._score = ("0", "0")

    def follow(self, reader: MonitorReader) -> bool:
        """Take new messages from a monitor; returns whether there were any."""
        values, mode = reader.environment, reader.play_mode
        score = (values.get("score_left", "0"), values.get("score_right", "0"))
        fouls = [_foul(foul, values) for foul in reader.take_fouls()]
        for text in fouls:
            self._add_foul(clock(reader.time), text)
        news = []
        if mode and mode != self._mode and not _EXPECTED.match(mode):
            news.append(in_words(mode))
        if score != self._score and mode:
            news.append(f"goal: {score[0]} : {score[1]}" if self._score < score else f"{score[0]} : {score[1]}")
        self._mode, self._score = mode, score
        self._messages.extendleft((clock(reader.time), text, 1) for text in news)
        return bool(fouls or news)

    def html(self) -> str:
        """The last messages of the referee, the newest first."""
        texts = (f"{time}  {text}{f' ({times} times)' if times > 1 else ''}" for time, text, times in self._messages)
        lines = "".join(f"<div>{escape(text)}</div>" for text in texts) or "<div>none yet</div>"
        return f'<div style="font-size:13px;padding:2px 14px 8px;font-variant-numeric:tabular-nums">{lines}</div>'

    def _add_foul(self, time: str, text: str) -> None:
        """The same foul of the same player again moves up, so that a fallen robot does not push out everything else."""
        earlier = next((message for message in self._messages if message[1] == text), None)
        if earlier:
            self._messages.remove(earlier)
        self._messages.appendleft((time, text, earlier[2] + 1 if earlier else 1))


def board_html(board: Board, note: str = "", banner: str = "", pictures: int = 0, plays: bool = True) -> str:
    """The board: clock, teams and score, half and play mode, scorers, and a banner; a note stands in place of the mode.

    Without soccer (`plays`) it has clock and mode or note alone. `pictures`, shown so far, is for programs that look
    at the page.
    """
    shown = f' data-pictures="{pictures}"' if pictures else ""
    if not plays:
        words = note or board.mode
        # An empty one would be a dark stub on a phone.
        shown_words = f'<span class="simspark-mode">{escape(words)}</span>' if words else ""
        return (
            f'<div class="simspark-board" data-title="{TITLE}"{shown}><div class="simspark-row">'
            f"<span>{board.clock}</span>{shown_words}</div></div>"
        )
    score = f"{escape(board.left.score)}&#8202;:&#8202;{escape(board.right.score)}"
    mode = note or f"{board.half} · {board.mode}"
    title = f"{board.left.name} {board.left.score}:{board.right.score} {board.right.name} · {TITLE}"
    large = f'<div class="simspark-banner">{escape(banner)}</div>' if banner else ""
    return (
        f'<div class="simspark-board" data-title="{escape(title)}"{shown}><div class="simspark-row">'
        f'<span>{board.clock}</span>{_team(board.left)}<span class="simspark-score">{score}</span>{_team(board.right)}'
        f'<span class="simspark-mode">{escape(mode)}</span>{_scorers(board.left)}{_scorers(board.right)}</div>'
        f"{large}</div>"
    )


def _team(team: TeamBoard) -> str:
    red, green, blue = (round(255 * part) for part in TEAM_COLOURS[team.side][:3])
    return f'<span class="simspark-team" style="background:rgb({red},{green},{blue})">{escape(team.name)}</span>'


def _scorers(team: TeamBoard) -> str:
    lines = "<br>".join(escape(scorer) for scorer in team.scorers[-SCORERS:])
    return f'<span class="simspark-scorers simspark-{team.side.value}">{lines}</span>'


def _foul(foul: FoulReport, values: Mapping[str, str]) -> str:
    kinds: Iterable[FoulKind] = FoulKind
    name = next((kind.name.lower().replace("_", " ") for kind in kinds if kind == foul.kind), f"foul {foul.kind}")
    side = _SIDES.get(foul.team, "")
    team = values.get(f"team_{side}", "")[:LONGEST_NAME] or side
    return f"{name}: {team} {foul.unum}"
