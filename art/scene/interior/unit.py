"""Flats of the floor plans, with their dimensions in metres and their positions in the towers."""

import json
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from math import hypot, pi, radians, remainder
from pathlib import Path

from interior.lobby import LOBBY
from layout import TowerSite
from mesh import Placement, Point2

DIST = Path(__file__).parents[2] / "dist"
UNITS, ROOMS = DIST / "units.json", DIST / "views.json"
# Half the thickness of a wall, from its middle line.
OUTER_WALL, INNER_WALL = 0.10, 0.05


@dataclass(frozen=True)
class Flat:
    """A flat on a floor. Plan coordinates are those of `art/plans` with y reversed: x to the right, y up the page."""

    unit: str
    x: float
    y: float
    floor: float
    ceiling: float = 2.85
    # Indexes of open sliding doors in the unit's openings.
    open_doors: tuple[int, ...] = ()

    @staticmethod
    def in_tower(unit: str, tower: TowerSite, side: str, along: float, floor: float) -> "Flat":
        """A flat whose lowest wall on the page is the glass line of a long side of the tower.

        `along` is the distance from the middle of that side to the middle of the flat, to the right on the page.
        """
        plan = units_by_id()[unit]
        rooms = [point for room in plan["rooms"] if room["floor"] != "deck" for point in room["polygon"]]
        xs, ys = zip(*rooms)
        turn = tower.angle + (0 if side == "south" else pi)
        if abs(remainder(radians(plan["north"]) - turn, 2 * pi)) > 1e-6:
            raise ValueError(f"{unit}: north of the plan does not match the {side} side of the {tower.name} tower")
        place = Placement(tower.x, tower.y, turn)
        return Flat(unit, *place(along - (min(xs) + max(xs)) / 2, max(ys) - tower.half_depth), floor)

    @property
    def plan(self) -> dict:
        return units_by_id()[self.unit]

    @property
    def place(self) -> Placement:
        return Placement(self.x, self.y, radians(self.plan["north"]))

    def camera(self, x: float, y: float, eye: float) -> tuple[float, float, float]:
        """The site coordinates of a point of the page, `eye` metres above the floor."""
        return (*self.place(x, -y), self.floor + eye)

    def azimuth(self, page: float) -> float:
        """The bearing of a direction on the page (0 up, 90 right, 180 down)."""
        return page - self.plan["north"]


@cache
def load_plans() -> dict:
    return json.loads(UNITS.read_text())


@cache
def units_by_id() -> dict[str, dict]:
    return {unit["id"]: unit for unit in [*load_plans()["units"], LOBBY]}


def line_of(file: Path, start: str) -> str:
    """The only line of a JSON file of `art/dist` that begins with `start`, without its comma."""
    (line,) = [line for line in file.read_text().splitlines() if line.startswith(start)]
    return line.removesuffix(",")


def claim(room: dict) -> str:
    """A hash of all that the picture of a room claims: its plan, its home and its camera."""
    plan, view = room["plan"], room["view"]
    lines = line_of(UNITS, f'{{"id":"{plan}"'), line_of(ROOMS, f'{{"plan":"{plan}","view":"{view}"')
    return sha256("\n".join(lines).encode()).hexdigest()[:12]


@cache
def load_rooms() -> dict[str, dict]:
    """The rooms of `art/rooms` by the name of their pictures."""
    return {f"{room['plan']}-{room['view']}".lower(): room for room in json.loads(ROOMS.read_text())["views"]}


def position_on(segment: tuple[Point2, Point2], point: Point2, tolerance: float = 0.01) -> float | None:
    """Metres from the start of the segment to a point on its line, or None for a point off the line."""
    (ax, ay), (bx, by) = segment
    length = hypot(bx - ax, by - ay)
    ux, uy = (bx - ax) / length, (by - ay) / length
    dx, dy = point[0] - ax, point[1] - ay
    return dx * ux + dy * uy if abs(dx * uy - dy * ux) < tolerance else None


def covered(segment: tuple[Point2, Point2], other: tuple[Point2, Point2]) -> tuple[float, float] | None:
    """The part of the segment that `other` on the same line covers, in metres from the start of the segment."""
    ends = [position_on(segment, point) for point in other]
    if None in ends:
        return None
    low, high = max(0.0, min(ends)), min(hypot(segment[1][0] - segment[0][0], segment[1][1] - segment[0][1]), max(ends))
    return (low, high) if high - low > 0.01 else None


def inside(polygon: list[Point2], point: Point2) -> bool:
    x, y = point
    odd = False
    for (ax, ay), (bx, by) in zip(polygon, polygon[1:] + polygon[:1]):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            odd = not odd
    return odd
