"""The parser of the command line: argparse with short help and suggestions, filled when needed."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from simspark_ros.configuration.errors import did_you_mean

_INVALID_CHOICE = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)$", re.DOTALL)


ALL = "all"
"""The word after `--help` that shows rare options, too."""


class _Help(argparse.Action):
    """Prints the help, with rare options if asked, and ends."""

    def __call__(self, parser: Any, namespace: object, values: object, option_string: str | None = None) -> None:
        """Print."""
        if values == ALL:
            parser.common = ()
        parser.print_help()
        parser.exit()


class _Formatter(argparse.HelpFormatter):
    """Writes the usage: the arguments that must be given, in the order in which people write them."""

    def _format_usage(
        self, usage: str | None, actions: Iterable[argparse.Action], groups: Any, prefix: str | None
    ) -> str:
        if usage is not None or prefix is not None:
            # The beginning of what sub-parsers are called.
            return super()._format_usage(usage, actions, groups, prefix)
        given = [action for action in actions if action.required or not action.option_strings]
        words = [
            *(self._words(action) for action in given if not action.option_strings),
            *(f"{action.option_strings[-1]} {self._words(action)}" for action in given if action.option_strings),
        ]
        return f"usage: {' '.join([self._prog, *words])} [OPTION ...]\n\n"

    def _words(self, action: argparse.Action) -> str:
        return self._format_args(action, self._get_default_metavar_for_optional(action))


class CommandParser(argparse.ArgumentParser):
    """An `ArgumentParser` that proposes the nearest option, command or value for one that does not exist.

    Sub-parsers are of the same class, so each knows the options that it proposes. Options cannot be abbreviated.

    Attributes:
        common: names of the options that `--help` shows; `--help all` shows the others, too. Empty = all are common.
        headings: heading -> sub-commands below it in the help, in their order.

    Args:
        fill: function that adds the arguments on first use, so that unused commands need not be loaded.
        words: arguments of `ArgumentParser`.
    """

    def __init__(self, *, fill: Callable[[CommandParser], None] | None = None, **words: Any) -> None:
        super().__init__(add_help=False, allow_abbrev=False, formatter_class=_Formatter, **words)
        self._fill = fill
        self.common: Collection[str] = ()
        self.headings: Mapping[str, Collection[str]] = {}
        text = f"show this help and end; {ALL} = with rare options"
        self.add_argument("-h", "--help", action=_Help, nargs="?", metavar=ALL, default=argparse.SUPPRESS, help=text)

    def format_help(self) -> str:
        """The help, without rare options."""
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for group in self._action_groups:
            for heading, actions in self._sections(group):
                formatter.start_section(heading)
                formatter.add_text(group.description)
                formatter.add_arguments(actions)
                formatter.end_section()
        hidden = sum(not self._shows(action) for action in self._actions)
        formatter.add_text(f"'{self.prog} --help {ALL}' shows {hidden} more options." if hidden else self.epilog)
        return formatter.format_help()

    def _sections(self, group: Any) -> Iterator[tuple[str, list[argparse.Action]]]:
        actions = [action for action in group._group_actions if self._shows(action)]
        commands = {
            command.dest: command
            for action in actions
            if isinstance(action, argparse._SubParsersAction)
            for command in action._get_subactions()
        }
        if not (commands and self.headings):
            yield group.title, actions
            return
        for heading, names in self.headings.items():
            yield heading, [commands[name] for name in names if name in commands]

    def _shows(self, action: argparse.Action) -> bool:
        rare = self.common and action.option_strings and not action.required
        return not rare or action.dest in ("help", *self.common)

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
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._meant(unknown)}")
        return options, []

    def _meant(self, unknown: Sequence[str]) -> str:
        """The option that is closest to the first unknown one; if none is and it looks like a rule, `--set`."""
        first = next((word for word in unknown if word.startswith("-")), unknown[0])
        own = {option: action for action in self._actions for option in action.option_strings}
        # All begin with dashes, so that unlike ones are alike to 0.7: `--time` and `--half-time`.
        word = first.partition("=")[0]
        close, change = did_you_mean(word, own, 0.75), own.get("--set")
        if close or change is None or not _is_key(word):
            return close
        return f"; --set: {(change.help or '').partition(';')[0]}"

    def error(self, message: str) -> NoReturn:
        """Print the message and a hint at `--help`, not the usage, which may have dozens of lines; status 2."""
        choice = _INVALID_CHOICE.search(message)
        known = re.findall(r"[^\s',]+", choice[2]) if choice else []
        meant = did_you_mean(choice[1], known) if choice else ""
        from simspark_ros.terminal import fitted

        text = fitted(f"{self.prog}: error: {message}{meant}", sys.stderr)
        self.exit(2, f"{text}\n'{self.prog} --help{f' {ALL}' if self.common else ''}' shows all that can be given.\n")


def _is_key(option: str) -> bool:
    """Whether an option looks like a key of the world file or rule book: `--half-time`, `--rules.game.half_time`."""
    # Loaded for a mistake alone.
    from simspark_ros.soccer.settings import changeable_keys

    words = re.split(r"[.:]", option.lstrip("-").replace("-", "_").lower())
    return bool(did_you_mean(words[-1], changeable_keys(), 0.85))
