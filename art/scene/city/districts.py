"""The street plan: a lattice of superblocks on each side of the river, bent to avoid straight avenues."""

from dataclasses import dataclass
from math import atan2, cos, exp, sin

from mesh import Point2
from river.course import north_bank, south_bank

BLOCK_WIDTH, BLOCK_DEPTH = 226.0, 176.0
AVENUE = 24.0
# Maximum height behind the towers. The promenade's view would show higher roofs behind them.
LOW_HEIGHT = 46.0
# Distance from the bank to the city. river/river.py builds the quays in between.
NORTH_QUAY, SOUTH_QUAY = 52.0, 78.0


@dataclass(frozen=True)
class District:
    """A lattice with local coordinates (s along, t across), rotated by `angle` about the site and slightly bent."""

    name: str
    angle: float
    phase: float

    def point(self, s: float, t: float) -> Point2:
        s, t = (
            s + 34 * sin(t / 430 + self.phase) + 9 * sin(t / 150),
            t + 38 * sin(s / 520 + 2 * self.phase) + 8 * sin(s / 170),
        )
        return s * cos(self.angle) - t * sin(self.angle), s * sin(self.angle) + t * cos(self.angle)

    def heading(self, s: float, t: float) -> float:
        """The direction of increasing s at a point."""
        (x0, y0), (x1, y1) = self.point(s - 5, t), self.point(s + 5, t)
        return atan2(y1 - y0, x1 - x0)

    def is_land(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Whether all ground within `margin` of a point is free for the city."""
        if self.name == "south":
            return y + margin < south_bank(x) - SOUTH_QUAY
        on_site = -165 - margin < x < 215 + margin and y < 150 + margin
        return y - margin > north_bank(x) + NORTH_QUAY and not on_site


DISTRICTS = (District("south", 0.16, 0.6), District("north", -0.10, 1.9))
CENTRES = (
    # x, y, radius, weight
    (-560.0, 860.0, 300.0, 1.0),
    (120.0, 2050.0, 360.0, 0.8),
    (760.0, 1020.0, 270.0, 0.8),
    (-1650.0, -1500.0, 330.0, 0.85),
    (60.0, -2600.0, 380.0, 0.7),
)


def centrality(x: float, y: float) -> float:
    """0 in the suburbs, about 1 in the middle of a business district."""
    return sum(weight * exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * radius**2)) for cx, cy, radius, weight in CENTRES)


def height_limit(x: float, y: float) -> float:
    """The maximum height of roofs. It is low behind the towers, to show them against the sky."""
    return LOW_HEIGHT if 0 < y < 520 and abs(x - 40) < 420 else 1000.0
