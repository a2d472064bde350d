"""`simspark learn`: trains a policy for a task, and draws its progress."""

from __future__ import annotations

import argparse

from simspark_learning.settings import LearnSettings
from simspark_ros.commands.arguments import add_options, add_ray_option, chosen
from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.schema import declarations


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument("task", metavar="TASK", help="stand, walk, get_up, kick, kick_far, goalkeeper, score, drive")
    add_options(parser, LearnSettings, without=("task",))
    add_ray_option(parser, "spread the worlds over processes of a Ray cluster instead of this machine")


def run(options: argparse.Namespace) -> int:
    """Train; returns the exit status.

    Raises:
        UserError: a package is missing, the task cannot be made, or the folder cannot be written.
    """
    from simspark_learning.tasks import task_of
    from simspark_ros.terminal import say

    # Before the libraries are loaded that not everybody has.
    task_of(options.task)
    from simspark_learning.learner import TrainingProgress
    from simspark_learning.training import POLICY_FILE, train

    names = [one.name for one in declarations(LearnSettings) if one.name != "task"]
    settings = LearnSettings(options.task, **chosen(options, LearnSettings, [*names, "ray"]))

    def report(progress: TrainingProgress) -> None:
        say(
            f"{progress.steps:9} actions {progress.seconds:6.0f} s   reward of an episode {progress.reward:8.2f}   "
            f"length {progress.length:5.0f}   success {progress.success:4.0%}\n"
        )

    train(settings, report)
    say(f"wrote {settings.folder / POLICY_FILE}, and the curve beside it\n")
    return 0
