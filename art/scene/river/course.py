"""The course of the river: where its banks run, in metres (x east, y north).

In front of the site (|x| <= STRAIGHT) the banks are straight and parallel; further out the river bends, so that a
view along it does not end in a ruled line.
"""

import math

SOUTH_BANK = -290.0
NORTH_BANK = -62.0
STRAIGHT = 450.0
END = 9000.0


def bend(x: float) -> float:
    """How far the river has swung north (positive) or south of its straight course at x, in metres."""
    out = abs(x) - STRAIGHT
    if out <= 0:
        return 0.0
    # 1 - cos keeps the course tangent to the straight reach.
    if x < 0:
        return -310.0 * (1 - math.cos(out / 560)) + 60.0 * (1 - math.cos(out / 1500))
    return 190.0 * (1 - math.cos(out / 620)) - 120.0 * (1 - math.cos(out / 1700))


def north_bank(x: float) -> float:
    return NORTH_BANK + bend(x)


def south_bank(x: float) -> float:
    """The river is wider where it bends."""
    return SOUTH_BANK + bend(x) - 0.12 * abs(bend(x))


def stations(step: float = 40.0) -> list[float]:
    """x positions at which to sample the banks, close enough for the bends to look round."""
    half = int(END / step)
    return [i * step for i in range(-half, half + 1)]
