"""The course of the river and its banks, in metres (x east, y north).

In front of the site (|x| <= STRAIGHT) the banks are straight and parallel. Further out the river bends, because a
straight river looks artificial in views along it.
"""

import math

SOUTH_BANK = -290.0
NORTH_BANK = -62.0
STRAIGHT = 450.0
END = 9000.0


def bend(x: float) -> float:
    """The offset of the river from its straight course at x, in metres, positive to the north."""
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
    """x positions of points on the banks. The default distance between them is small enough for smooth bends."""
    half = int(END / step)
    return [i * step for i in range(-half, half + 1)]
