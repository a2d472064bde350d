"""Score, time, play mode and fouls as text and HTML; names of teams come from clients and are never trusted."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from html import escape

from simspark_ros.clients.broadcast.board import LONGEST_NAME, clock, in_words
from simspark_ros.protocol.monitor.reader import FoulReport, MonitorReader
from simspark_ros.rendering.bodies import TEAM_COLOURS
from simspark_ros.soccer.game_state import FoulKind
from simspark_ros.soccer.teams import Side

MESSAGES = 8
"""Number of messages that are kept."""

_BOARD_STYLE = "font-family:system-ui,sans-serif;text-align:center;padding:6px 10px"
_SIDES = {1: "left", 2: "right"}


class Scoreboard:
    """The score, the state of the game and the last messages of the referee, beside the picture."""

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
        if mode and mode != self._mode:
            news.append(in_words(mode))
        if score != self._score and mode:
            news.append(f"{score[0]} : {score[1]}")
        self._mode, self._score = mode, score
        self._messages.extendleft((clock(reader.time), text, 1) for text in news)
        return bool(fouls or news)

    def html(self, reader: MonitorReader, note: str = "", pictures: int = 0) -> str:
        """The board: teams and score, time, half and play mode; a note stands in place of time and play mode.

        `pictures`, shown so far, is for programs that look at the page.
        """
        values = reader.environment
        left, right = (
            _team(values.get(f"team_{side.value}", "") or side.value, side) for side in (Side.LEFT, Side.RIGHT)
        )
        score = f"{escape(values.get('score_left', '0'))}&#8202;:&#8202;{escape(values.get('score_right', '0'))}"
        half = f"half {escape(values.get('half', '1'))}"
        below = escape(note) if note else f"<b>{clock(reader.time)}</b> · {half} · {escape(in_words(reader.play_mode))}"
        shown = f' data-pictures="{pictures}"' if pictures else ""
        return (
            f'<div class="simspark-board"{shown} style="{_BOARD_STYLE}">'
            '<div style="display:flex;align-items:center;gap:8px">'
            f'{left}<span style="font-size:26px;font-weight:700;padding:0 6px;white-space:nowrap">{score}</span>{right}'
            f'</div><div style="font-size:14px;margin-top:4px;font-variant-numeric:tabular-nums">{below}</div></div>'
        )

    def messages_html(self) -> str:
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


def _team(name: str, side: Side) -> str:
    red, green, blue = (round(255 * part) for part in TEAM_COLOURS[side][:3])
    style = (
        f"flex:1;background:rgb({red},{green},{blue});color:white;border-radius:4px;padding:4px 8px;font-size:15px;"
        "font-weight:600;overflow:hidden;text-overflow:ellipsis;white-space:nowrap"
    )
    return f'<span style="{style}">{escape(name[:LONGEST_NAME])}</span>'


def _foul(foul: FoulReport, values: Mapping[str, str]) -> str:
    kinds: Iterable[FoulKind] = FoulKind
    name = next((kind.name.lower().replace("_", " ") for kind in kinds if kind == foul.kind), f"foul {foul.kind}")
    side = _SIDES.get(foul.team, "")
    team = values.get(f"team_{side}", "")[:LONGEST_NAME] or side
    return f"{name}: {team} {foul.unum}"
