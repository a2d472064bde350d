"""The parser of the command line: argparse, whose errors suggest the right word, filled when it is needed."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from simspark_ros.configuration.errors import did_you_mean

_INVALID_CHOICE = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)$", re.DOTALL)


class CommandParser(argparse.ArgumentParser):
    """An `ArgumentParser` that proposes the nearest option, command or value for one that does not exist.

    Sub-parsers are of the same class, so each knows the options that it proposes.

    Args:
        fill: function that adds the arguments on first use, so that unused commands need not be loaded.
        words: arguments of `ArgumentParser`.
    """

    def __init__(self, *, fill: Callable[[CommandParser], None] | None = None, **words: Any) -> None:
        super().__init__(**words)
        self._fill = fill

    def filled(self) -> CommandParser:
        """This parser, with its arguments."""
        fill, self._fill = self._fill, None
        if fill:
            fill(self)
        return self

    def parse_known_args(  # type: ignore[override]  # argparse's overloads differ in the type of the namespace
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse; the second value is always empty, as unknown words are an error of the parser that met them."""
        self.filled()
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            first = next((word for word in unknown if word.startswith("-")), unknown[0])
            own = [option for action in self._actions for option in action.option_strings]
            name = first.partition("=")[0]
            self.error(f"unrecognized arguments: {' '.join(unknown)}{did_you_mean(name, own)}")
        return options, []

    def error(self, message: str) -> NoReturn:
        """Print the message and a hint at `--help`, not the usage, which may have dozens of lines; status 2."""
        choice = _INVALID_CHOICE.search(message)
        known = re.findall(r"[^\s',]+", choice[2]) if choice else []
        meant = did_you_mean(choice[1], known) if choice else ""
        from simspark_ros.terminal import fitted

        text = fitted(f"{self.prog}: error: {message}{meant}", sys.stderr)
        self.exit(2, f"{text}\n'{self.prog} --help' shows all that can be given.\n")
