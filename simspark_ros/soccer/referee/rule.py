"""What a rule is: it looks at the match once in a cycle, after physics, and decides."""

from __future__ import annotations

from typing import Any, ClassVar

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.match import Match

EVERY_MODE = frozenset(PlayMode)
"""Of rules that may have something to do at any time."""


class Rule:
    """Base of rules. A rule is made once for a simulation; what it remembers, `reset` forgets.

    Other distributions add rules by entry points in the group `simspark_ros.rules`; the rule book's `order` names them.

    Attributes:
        name: by which the rule book's `order` lists it and decisions name it; also that of its entry point.
        modes: play modes in which the rule has something to do. It may be applied in others as well, and is so at least
            once after each of them: what it has to forget when its mode is over, it can forget then.
        options: dataclass of its numbers; None = it has none. The rule book has them in a section of the rule's name,
            those of other distributions below `plug_ins`.
        settings: the numbers, an object of that class.
    """

    name: ClassVar[str] = ""
    modes: ClassVar[frozenset[PlayMode]] = EVERY_MODE
    options: ClassVar[type[Any] | None] = None
    settings: Any = None

    def apply(self, match: Match) -> None:
        """Look at the match and, where the rule is broken or has something to do, act through the match."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget what was remembered: the game restarts."""
