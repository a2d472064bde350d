"""Binds the kernel of hinges' gaps to an engine's bodies."""

from __future__ import annotations

import numpy as np

from simspark_ros.kernels.hinge_gaps import HingeGapsKernel
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.ode_likeness.settings import LikenessSettings


def hinge_gaps(
    settings: LikenessSettings,
    step: float,
    motion: tuple[Array, Array, Array],
    parents: IntArray,
    hinged: IntArray,
    free: IntArray,
) -> HingeGapsKernel:
    """The kernel for B bodies, each after the one that carries it.

    Args:
        settings: settings of the engine.
        step: length of a step, s.
        motion: shift, closing velocity, and room for the places to which bodies move, (B, 3) each.
        parents: (B,) body that carries each body, anything for free ones.
        hinged: (H,) bodies that hinges carry, ascending; all others are a part of the body that carries them.
        free: (F,) bodies that none carries.
    """
    holders = np.arange(len(parents))
    holding = np.zeros(len(parents), np.bool_)
    holding[hinged] = holding[free] = True
    for body in np.flatnonzero(~holding):
        holders[body] = holders[parents[body]]
    shift, closing, moved = motion
    return HingeGapsKernel(
        step=step,
        most=settings.max_hinge_drift,
        shift=shift,
        closing=closing,
        moved=moved,
        gaps=np.zeros((len(hinged), 3)),
        parents=parents,
        holders=holders,
        hinged=hinged,
        free=free,
    )
