"""Promises about reproducibility: equal inputs give equal bits, in this process and in fresh processes."""

from __future__ import annotations

import os
import subprocess
import sys

from simspark_conformance.fingerprint import fingerprint, play
from simspark_conformance.harness import ConformanceError, Harness, NotApplicableError, expect
from simspark_conformance.models import STANDING, walker


def same_input_gives_same_bits(harness: Harness) -> None:
    """Two worlds in one process with equal inputs have equal states, bit by bit."""
    expect(
        fingerprint(harness.subject.factory) == fingerprint(harness.subject.factory),
        "the same motion in two worlds one after the other differs",
    )


def worlds_do_not_disturb_each_other(harness: Harness) -> None:
    """A world moves the same although other worlds in the process are made, stepped and closed."""
    alone = fingerprint(harness.subject.factory)
    neighbour, world, closed = harness.world(), harness.world(), harness.subject.factory()
    neighbour.add(walker(), (0.0, 0.0, STANDING))
    neighbour.run(5)
    closed.close()
    moved = play(world, between=lambda: neighbour.run(1))
    expect(moved == alone, "a world moves differently while another is stepped in the same process")
    expect(neighbour.state.touching.all(), "a world was disturbed by its neighbour")


def fresh_processes_give_same_bits(harness: Harness) -> None:
    """Two fresh processes with equal inputs have equal states, bit by bit."""
    subject = harness.subject
    if subject.engine is None:
        raise NotApplicableError("needs the name of the engine, so that a fresh process can make it")
    command = [sys.executable, "-m", "simspark_conformance", subject.engine, "--fingerprint"]
    if subject.preset is not None:
        command += ["--preset", subject.preset]
    found = [_run(command, seed) for seed in ("1", "2")]
    expect(found[0] == found[1], "the same motion in two fresh processes differs")


def _run(command: list[str], hash_seed: str) -> str:
    # The hash seeds differ, since the order of sets must not matter; the import path is the same.
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise ConformanceError(f"a fresh process failed ({done.returncode}): {done.stderr.strip()[-500:]}")
    return done.stdout
