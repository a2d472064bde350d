"""The base of rules: a rule looks at the match once in a cycle, after physics, and decides."""

from __future__ import annotations

from typing import Any, ClassVar

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.match import Match

EVERY_MODE = frozenset(PlayMode)
"""Modes of rules that may have something to do at any time."""


class Rule:
    """Base of rules. A rule is made once for a simulation; `reset` forgets its memory.

    Other distributions add rules by entry points in the group `simspark_ros.rules`; the rule book's `order` names them.

    Attributes:
        name: name of the rule in the rule book's `order` and in decisions; also the name of its entry point.
        modes: play modes in which the rule has something to do. It may be applied in other modes, too, and is applied
            at least once after each of its modes, so that it can forget its memory of that mode.
        options: dataclass of the rule's numbers; None = it has none. The rule book has them in a section of the rule's
            name, for rules of other distributions below `plug_ins`.
        settings: numbers of the rule, an object of the class `options`.
    """

    name: ClassVar[str] = ""
    modes: ClassVar[frozenset[PlayMode]] = EVERY_MODE
    options: ClassVar[type[Any] | None] = None
    settings: Any = None

    def apply(self, match: Match) -> None:
        """Look at the match and, if the rule is broken or has something to do, act through the match."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget all memory, as the game restarts."""
