"""`simspark learn`: trains a policy for a task, and draws how it got better."""

from __future__ import annotations

import argparse

from simspark_ros.commands.arguments import SubParsers, add_options, chosen
from simspark_ros.configuration.schema import declarations
from simspark_ros.learning.settings import LearnSettings


def register(commands: SubParsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "learn", help="train a policy for a task; Ctrl-C ends it, and what was learned is kept"
    )
    parser.set_defaults(run=run)
    parser.add_argument("task", metavar="TASK", help="stand, walk, get_up, kick, kick_far, goalkeeper, drive")
    add_options(parser, LearnSettings, without=("task",))


def run(options: argparse.Namespace) -> int:
    """Train; returns the exit status.

    Raises:
        UserError: a library is missing, the task cannot be made, or the folder cannot be written.
    """
    from simspark_ros.clients.live_line import say
    from simspark_ros.learning.training import PICTURE_FILE, POLICY_FILE, Progress, train

    names = [one.name for one in declarations(LearnSettings) if one.name != "task"]
    settings = LearnSettings(options.task, **chosen(options, LearnSettings, names))

    def report(progress: Progress) -> None:
        say(
            f"{progress.steps:9} actions {progress.seconds:6.0f} s   reward of an episode {progress.reward:8.2f}   "
            f"length {progress.length:5.0f}   success {progress.success:4.0%}\n"
        )

    train(settings, report)
    say(f"wrote {settings.folder / POLICY_FILE} and {settings.folder / PICTURE_FILE}\n")
    return 0
