"""Extended regular expressions (POSIX, as of simulation_interfaces) in time that grows with pattern times name only.

Clients send them, and Python's `re` may take years for twenty characters. Here the set of places in the pattern that a
name can have come to is followed letter by letter: nothing is tried twice, and names that begin alike share the work.
There are no back-references, as POSIX has none in extended expressions.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass

from simspark_ros.configuration.errors import UserError, shown

MAX_LENGTH = 256
"""Characters of a pattern."""

MAX_STATES = 512
"""Places of a pattern once its repetitions are written out."""

_MAX_DEPTH = 32
_MAX_REPEAT = 255

_CLASSES: dict[str, Callable[[str], bool]] = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "blank": lambda letter: letter in " \t",
    "cntrl": lambda letter: not letter.isprintable(),
    "digit": lambda letter: letter in string.digits,
    "graph": lambda letter: letter.isprintable() and letter != " ",
    "lower": str.islower,
    "print": str.isprintable,
    "punct": lambda letter: letter in string.punctuation,
    "space": str.isspace,
    "upper": str.isupper,
    "xdigit": lambda letter: letter in string.hexdigits,
}

_Test = Callable[[str], bool]


class PatternError(UserError):
    """A pattern cannot be used; the message says why."""


@dataclass
class _State:
    """A place in a pattern: it takes a letter that passes `test`, or none (None), and leads to `then`.

    `at_start` and `at_end` states are passed only there.
    """

    test: _Test | None
    then: tuple[int, ...] = ()
    at_start: bool = False
    at_end: bool = False


class NamePattern:
    """A pattern that whole names match or not.

    Raises:
        PatternError: it is no extended regular expression, or too long.
    """

    def __init__(self, pattern: str) -> None:
        if len(pattern) > MAX_LENGTH:
            raise PatternError(
                f"the regular expression has {len(pattern)} characters, at most {MAX_LENGTH} are allowed"
            )
        self._states: list[_State] = []
        self._end = self._add(_State(None))
        self._start = self._build(_Parser(pattern).parse(), self._end)
        self._steps: dict[tuple[frozenset[int], str, bool], frozenset[int]] = {}

    def matches(self, name: str) -> bool:
        """Whether the whole name matches."""
        here = self._reached({self._start}, True, not name)
        for index, letter in enumerate(name):
            key = here, letter, index + 1 == len(name)
            here = self._steps[key] if key in self._steps else self._steps.setdefault(key, self._step(*key))
        return self._end in here

    def _step(self, here: frozenset[int], letter: str, is_last: bool) -> frozenset[int]:
        passed = [state for state in map(self._states.__getitem__, here) if state.test and state.test(letter)]
        return self._reached({number for state in passed for number in state.then}, False, is_last)

    def _reached(self, numbers: set[int], at_start: bool, at_end: bool) -> frozenset[int]:
        """All places reached from these without a letter."""
        waiting, reached = list(numbers), set[int]()
        while waiting:
            number = waiting.pop()
            state = self._states[number]
            if number in reached or (state.at_start and not at_start) or (state.at_end and not at_end):
                continue
            reached.add(number)
            if state.test is None:
                waiting += state.then
        return frozenset(reached)

    def _add(self, state: _State) -> int:
        if len(self._states) == MAX_STATES:
            raise PatternError(
                f"the regular expression has more than {MAX_STATES} places once its repetitions are written out"
            )
        self._states.append(state)
        return len(self._states) - 1

    def _build(self, node: _Node, then: int) -> int:
        """Add the states of a part of the pattern that is followed by `then`; returns its first one."""
        if node.kind == "letter":
            return self._add(_State(node.test, (then,)))
        if node.kind in "^$":
            return self._add(_State(None, (then,), node.kind == "^", node.kind == "$"))
        if node.kind == "|":
            return self._add(_State(None, tuple(self._build(part, then) for part in node.parts)))
        if node.kind == "repeat":
            return self._repeat(node, then)
        for part in reversed(node.parts):
            then = self._build(part, then)
        return then

    def _repeat(self, node: _Node, then: int) -> int:
        (part,) = node.parts
        if node.most is None:
            loop = self._add(_State(None))
            self._states[loop].then = (self._build(part, loop), then)
            then = loop
        for _ in range((node.most or node.least) - node.least):
            then = self._add(_State(None, (self._build(part, then), then)))
        for _ in range(node.least):
            then = self._build(part, then)
        return then


@dataclass(frozen=True)
class _Node:
    """A part of a pattern; `kind` is letter, sequence, |, repeat, ^ or $."""

    kind: str
    parts: tuple[_Node, ...] = ()
    test: _Test | None = None
    least: int = 0
    most: int | None = None


class _Parser:
    def __init__(self, pattern: str) -> None:
        self._pattern, self._place, self._depth = pattern, 0, 0

    def parse(self) -> _Node:
        node = self._choice()
        if self._place < len(self._pattern):
            raise self._error("a bracket is closed that was not opened")
        return node

    def _choice(self) -> _Node:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._error(f"more than {_MAX_DEPTH} brackets in each other")
        parts = [self._sequence()]
        while self._takes("|"):
            parts.append(self._sequence())
        self._depth -= 1
        return _Node("|", tuple(parts)) if len(parts) > 1 else parts[0]

    def _sequence(self) -> _Node:
        parts: list[_Node] = []
        while self._place < len(self._pattern) and self._pattern[self._place] not in "|)":
            parts.append(self._repeated(self._atom()))
        return _Node("sequence", tuple(parts))

    def _repeated(self, node: _Node) -> _Node:
        while self._place < len(self._pattern) and self._pattern[self._place] in "*+?{":
            sign = self._next()
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(sign) or self._counts()
            node = _Node("repeat", (node,), least=least, most=most)
        return node

    def _counts(self) -> tuple[int, int | None]:
        text, closed, rest = self._pattern[self._place :].partition("}")
        least, comma, most = text.partition(",")
        numbers = [
            int(number) for number in (least, most) if number.isascii() and number.isdecimal() and len(number) < 4
        ]
        if not closed or len(numbers) != 1 + bool(most) or any(number > _MAX_REPEAT for number in numbers):
            raise self._error(f"a repetition is {{N}}, {{N,}} or {{N,M}}, with numbers up to {_MAX_REPEAT}")
        self._place = len(self._pattern) - len(rest)
        if not comma:
            return numbers[0], numbers[0]
        if most and numbers[1] < numbers[0]:
            raise self._error("the second number of a repetition is less than the first")
        return numbers[0], numbers[1] if most else None

    def _atom(self) -> _Node:
        letter = self._next()
        if letter == "(":
            node = self._choice()
            if not self._takes(")"):
                raise self._error("a bracket is not closed")
            return node
        if letter == "[":
            return _Node("letter", test=self._bracket())
        if letter in "^$":
            return _Node(letter)
        if letter in "*+?{":
            raise self._error(f"nothing stands before '{letter}'")
        if letter == ".":
            return _Node("letter", test=lambda _: True)
        if letter == "\\":
            letter = self._next()
            if letter.isalnum():
                raise self._error(f"'\\{letter}' has no meaning in extended expressions; use [[:alnum:]] or [0-9]")
        return _Node("letter", test=lambda other, letter=letter: other == letter)  # type: ignore[misc]

    def _bracket(self) -> _Test:
        negated = self._takes("^")
        tests: list[_Test] = []
        while not tests or self._pattern[self._place : self._place + 1] != "]":
            if self._takes("[:"):
                name, closed, rest = self._pattern[self._place :].partition(":]")
                if not closed or name not in _CLASSES:
                    raise self._error(f"there is no class {shown(name)}; classes are {', '.join(_CLASSES)}")
                self._place = len(self._pattern) - len(rest)
                tests.append(_CLASSES[name])
                continue
            if self._pattern.startswith(("[.", "[="), self._place):
                raise self._error("collating elements and equivalence classes are not supported")
            first = last = self._next()
            if not self._pattern.startswith("-]", self._place) and self._takes("-"):
                last = self._next()
                if last < first:
                    raise self._error(f"the range {first}-{last} ends before it begins")
            tests.append(lambda letter, first=first, last=last: first <= letter <= last)  # type: ignore[misc]
        self._place += 1
        return lambda letter: any(test(letter) for test in tests) is not negated

    def _next(self) -> str:
        if self._place == len(self._pattern):
            raise self._error("it ends too early")
        self._place += 1
        return self._pattern[self._place - 1]

    def _takes(self, text: str) -> bool:
        if not self._pattern.startswith(text, self._place):
            return False
        self._place += len(text)
        return True

    def _error(self, text: str) -> PatternError:
        return PatternError(
            f"{shown(self._pattern)} is no extended regular expression: at character {self._place}: {text}"
        )
