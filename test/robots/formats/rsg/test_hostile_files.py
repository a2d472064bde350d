"""RSG files that want too much, or what is not theirs: refused with file, line and reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from test.robots.formats.hostile import assert_refused

SECONDS = 5.0
"""Processor time within which a file is refused; without limits it takes minutes, on a busy processor a second."""

BODY = "(nd RigidBody (setSphereTotal 1 1))"


def scene(content: str) -> str:
    return f"(RSG 0 1)\n(\n{content}\n)"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (scene("(importScene robot.rsg)"), r"robot\.rsg:3: importScene: more than 20 files import one another"),
        (scene("(importScene robot.rsg) (importScene robot.rsg)"), r"more than 20 files|more than 25600 expressions"),
        (scene("(importScene ../secret.rsg)"), r"robot\.rsg:3: importScene: '\.\./secret\.rsg' lies neither"),
        (scene("(importScene /etc/passwd)"), "'/etc/passwd' lies neither"),
        (scene("(importScene none.rsg)"), r"robot\.rsg:3: importScene: there is no file 'none\.rsg'"),
        (scene(f"{BODY}\n(def $a (eval system('x')))"), r"robot\.rsg:4: \(eval system x\)|robot\.rsg:4: "),
        (scene('(def $a (eval "`ls`"))'), r"robot\.rsg:3: \(eval `ls`\): is not a sum or product"),
        (scene(f"(nd Transform (setLocalPos 0 nan 0) {BODY})"), "holds numbers that are not finite"),
        (
            scene("(nd RigidBody\n(setBoxTotal -1 1 1 1))"),
            r"robot\.rsg:4: \(setBoxTotal \.\.\.\): mass and sizes must be",
        ),
        (scene("(nd RigidBody\n(setBoxTotal x 1 1 1))"), r"robot\.rsg:4: \(setBoxTotal x 1 1 1\): needs 4 numbers"),
        (scene("(nd RigidBody)"), r"robot\.rsg:3: RigidBody .*has no mass"),
        (scene("(nd Transform (setLocalPos $x 0 0))"), r"robot\.rsg:3: \$x is not defined"),
        (scene("(templ $a $b)"), r"robot\.rsg:3: the file wants 2 arguments \(\$a \$b\), it got 1"),
        (scene("(nd Transform)"), "there is no RigidBody"),
        (scene("(nd Space)" * 30_000), "more than 25600 expressions; max_links allows no more"),
        ("(" * 5000, r"robot\.rsg:1: more than 100 lists within one another"),
        (scene("(nd Transform"), "a bracket is not closed"),
        (scene("))"), "a bracket is closed that was not opened"),
        (scene("(setName 'x)"), "a quote is not closed"),
        ("(nd Transform)", "starts with"),
        ("", "starts with"),
    ],
)
def test_a_hostile_file_is_refused_with_file_line_and_reason(tmp_path: Path, text: str, told: str) -> None:
    assert_refused(tmp_path, "robot.rsg", text, told, secret=scene(BODY), seconds=SECONDS)
