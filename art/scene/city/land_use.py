"""Fills superblocks with buildings and trees, by land use.

Coordinates are metres from the middle of the superblock: u along, v across.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi, sin
from random import Random

from city.districts import AVENUE, BLOCK_DEPTH, BLOCK_WIDTH, District, height_limit
from city.models import Models
from city.plans import Plan, ellipse, rect, rounded, size
from city.scatter import Scatter
from city.streets import Streets
from mesh import Color, MeshBuilder, Point2

WIDTH, DEPTH = BLOCK_WIDTH - AVENUE, BLOCK_DEPTH - AVENUE
PAVED: Color = (0.135, 0.128, 0.118)
LAWN: Color = (0.060, 0.098, 0.030)


@dataclass
class Superblock:
    """A superblock under construction. It gets trees, lanes and small objects only if it is `near`."""

    district: District
    s: float
    t: float
    near: bool
    random: Random
    models: Models
    scatter: Scatter
    ground: MeshBuilder
    streets: Streets

    def at(self, u: float, v: float) -> Point2:
        return self.district.point(self.s + u, self.t + v)

    def is_land(self, u: float, v: float, margin: float) -> bool:
        return self.district.is_land(*self.at(u, v), margin)

    def place(
        self, kind: str, u: float, v: float, turn: float = 0.0, reach: float = 26.0, number: int | None = None
    ) -> None:
        """A building of a kind, rotated by `turn` from the street, unless it would stand in the water."""
        mesh = self.models.pick(kind, self.random) if number is None else self.models.variant(kind, number)
        x, y = self.at(u, v)
        if not self.district.is_land(x, y, reach):
            return
        # Small differences in height make copies of a model less obvious.
        size = (1.0, 1.0, self.random.uniform(0.94, 1.06))
        self.scatter.add(mesh, x, y, 0.0, self.district.heading(self.s + u, self.t + v) + turn, size)

    def tree(self, u: float, v: float, low: float = 0.7, high: float = 1.15) -> None:
        if self.is_land(u, v, 3):
            size = self.random.uniform(low, high)
            self.scatter.add(
                self.models.tree(self.random),
                *self.at(u, v),
                0.0,
                self.random.uniform(0, 2 * pi),
                (size, size, size * self.random.uniform(0.9, 1.1)),
            )

    def grove(self, u: float, v: float, w: float, d: float, count: int) -> None:
        for _ in range(count if self.near else count // 3):
            self.tree(u + self.random.uniform(-w, w) / 2, v + self.random.uniform(-d, d) / 2)

    def row(self, u0: float, v0: float, u1: float, v1: float, spacing: float) -> None:
        """A row of trees."""
        length = abs(u1 - u0) + abs(v1 - v0)
        count = max(1, round(length / (spacing if self.near else spacing * 2)))
        for i in range(count):
            f = (i + 0.5) / count
            self.tree(
                u0 + (u1 - u0) * f + self.random.uniform(-0.8, 0.8),
                v0 + (v1 - v0) * f + self.random.uniform(-0.8, 0.8),
                0.6,
                0.9,
            )

    def floor(self, plan: Plan, color: Color, surface: str = "plot", z: float = 0.05) -> None:
        """A patch of ground. At the water's edge it covers only the land."""
        if all(self.is_land(u, v, 0) for u, v in plan):
            self.ground.horizontal([self.at(u, v) for u, v in plan], z, surface, color)
        elif surface in ("plot", "grass"):
            w, d = size(plan)
            u0, v0 = min(u for u, _ in plan), min(v for _, v in plan)
            for i in range(8):
                for j in range(6):
                    part = rect(w / 8, d / 6, u0 + w * (i + 0.5) / 8, v0 + d * (j + 0.5) / 6)
                    if all(self.is_land(u, v, 0) for u, v in part):
                        self.ground.horizontal([self.at(u, v) for u, v in part], z, surface, color)

    def lane(self, points: list[Point2], trees: float = 0.0) -> None:
        """A narrow street inside the block."""
        if self.near and all(self.is_land(u, v, 4) for u, v in points):
            self.streets.add([self.at(u, v) for u, v in points], 3.2, 2.0, 0.75, 0.5, trees, z=0.08, lamps=False)


def shophouses(block: Superblock) -> None:
    """Three pairs of rows back to back, with streets between them."""
    block.floor(rect(WIDTH, DEPTH), PAVED)
    random = block.random
    for v in (-26.0, 26.0):
        block.lane([(-WIDTH / 2, v), (0, v), (WIDTH / 2, v)], trees=14)
    for v in (-51.5, 0.0, 51.5):
        for i in range(4):
            u = (i - 1.5) * 49
            dice = random.random()
            if dice < 0.06:
                block.floor(rect(44, 36, u, v), LAWN, "grass", 0.07)
                block.grove(u, v, 40, 32, 12)
            elif dice < 0.15:
                block.place("street block", u, v)
            else:
                block.place("shophouses", u, v - 10.6)
                block.place("shophouses", u, v + 10.6, pi)


def houses(block: Superblock) -> None:
    """Detached houses in gardens along two lanes."""
    block.floor(rect(WIDTH, DEPTH), LAWN, "grass")
    random = block.random
    for v in (-38.0, 38.0):
        block.lane([(-WIDTH / 2, v), (0, v), (WIDTH / 2, v)])
    for v, turn in ((-60.0, pi), (-18.0, 0.0), (18.0, pi), (60.0, 0.0)):
        for i in range(8):
            u = (i - 3.5) * 24.5
            block.place(
                "house",
                u + random.uniform(-1.5, 1.5),
                v + random.uniform(-2, 2),
                turn + random.uniform(-0.06, 0.06),
                12,
            )
            for _ in range(3 if block.near else 1):
                block.tree(
                    u + random.choice((-11, 11)) + random.uniform(-2, 2), v + random.uniform(-11, 11), 0.35, 0.75
                )


def estate(block: Superblock) -> None:
    """Slabs of flats in a park, with car parks and a playground."""
    block.floor(rect(WIDTH, DEPTH), LAWN, "grass")
    random = block.random
    low = height_limit(*block.at(0, 0)) < 100
    layout = random.randrange(3)
    main = "slab" if low or random.random() < 0.65 else "tall slab"
    if layout == 0:
        for v in (-52, 0, 52):
            block.place(main, -52, v, reach=50)
            block.place(main, 52, v + random.uniform(-6, 6), reach=50)
    elif layout == 1:
        block.place("bent slab", -48, -50, reach=50)
        block.place("bent slab", 50, -46, reach=50)
        block.place(main, -70, 16, pi / 2, reach=50)
        block.place(main, 4, 52, pi, reach=50)
        block.place(main, 74, 20, pi / 2, reach=50)
    else:
        block.place(main, -50, -56, reach=50)
        block.place("low point block" if low else "point block", 58, -42, reach=30)
        block.place(main, -80, 22, pi / 2, reach=50)
        block.place(main, -20, 56, reach=50)
        block.place("low point block" if low else "point block", 66, 42, reach=30)
    block.floor(rect(58, 17, 0, 26), PAVED, z=0.07)
    block.lane([(-WIDTH / 2, -26), (0, -26), (WIDTH / 2, -26)])
    for v in (-70, -28, 24, 70):
        block.row(-96, v, 96, v, 11)
    block.grove(0, 0, 190, 140, 46)


def condominiums(block: Superblock) -> None:
    """Residential towers on podiums with garden decks."""
    block.floor(rect(WIDTH, DEPTH), LAWN, "grass")
    kind = "low point block" if height_limit(*block.at(0, 0)) < 100 else "point block"
    for u, v in block.random.choice(
        (
            ((-62, -38), (6, 34), (70, -30)),
            ((-58, 34), (0, -38), (62, 36)),
            ((-66, -36), (-62, 38), (62, -38), (66, 36)),
        )
    ):
        block.place(kind, u, v, block.random.choice((0, 0, pi / 2, 0.3)), 32)
    block.grove(0, 0, 190, 140, 60)
    block.row(-98, -71, 98, -71, 10)
    block.row(-98, 71, 98, 71, 10)


def street_blocks(block: Superblock) -> None:
    """Shops and offices that fill their plots."""
    block.floor(rect(WIDTH, DEPTH), PAVED)
    for v in (-26.0, 26.0):
        block.lane([(-WIDTH / 2, v), (0, v), (WIDTH / 2, v)], trees=12)
    for v in (-51.5, 0.0, 51.5):
        for u in (-70.0, -4.0, 66.0):
            if block.random.random() < 0.1:
                block.floor(rect(52, 36, u, v), LAWN, "grass", 0.07)
                block.grove(u, v, 46, 32, 16)
            else:
                block.place("street block", u, v, block.random.choice((0, pi)))


def centre(block: Superblock) -> None:
    """Office towers over lower blocks and squares."""
    block.floor(rect(WIDTH, DEPTH), PAVED)
    random = block.random
    spots = [(-72, -44), (0, -44), (72, -44), (-72, 40), (0, 40), (72, 40)]
    random.shuffle(spots)
    for number, (u, v) in enumerate(spots):
        dice = random.random()
        kind = ("high office" if number < 2 else "office") if dice < 0.68 or number < 2 else "street block"
        if dice > 0.9 and number > 1:
            block.floor(rect(52, 52, u, v), LAWN, "grass", 0.07)
            block.grove(u, v, 46, 46, 18)
            continue
        block.place(kind, u, v, random.choice((0, pi / 2, pi, -pi / 2)), 30)
    block.row(-98, -72, 98, -72, 12)
    block.row(-98, 72, 98, 72, 12)


def mixed_centre(block: Superblock) -> None:
    """The edge of the business district: a few towers, street blocks, flats."""
    block.floor(rect(WIDTH, DEPTH), PAVED)
    for v in (-42.0, 42.0):
        for u in (-70.0, 0.0, 70.0):
            kind = block.random.choice(("street block", "street block", "office", "point block", "office"))
            if kind != "street block" and height_limit(*block.at(u, v)) < 100:
                kind = "street block"
            block.place(kind, u, v, block.random.choice((0, pi)), 30)
    block.lane([(-WIDTH / 2, 0), (0, 0), (WIDTH / 2, 0)], trees=11)
    block.grove(0, 0, 190, 20, 14)


def park(block: Superblock) -> None:
    """Lawns, groves, a pond and lit paths."""
    block.floor(rect(WIDTH + AVENUE * 0.3, DEPTH + AVENUE * 0.3), LAWN, "grass")
    random = block.random
    u0, v0 = random.uniform(-30, 30), random.uniform(-18, 18)
    pond = [
        (u0 + x * (1 + 0.14 * sin(i * pi / 4)), v0 + y * (1 + 0.16 * cos(i * pi / 6)))
        for i, (x, y) in enumerate(ellipse(92, 52, 24))
    ]
    block.floor(pond, (0, 0, 0), "still water", 0.2)
    ring = [(u0 + x * 1.35, v0 + y * 1.45) for x, y in ellipse(92, 52, 32)]
    if block.near:
        for path in (ring + ring[:1], [(-100, -60), (-60, -20), ring[16]], [ring[0], (80, 30), (100, 66)]):
            points = [block.at(u, v) for u, v in path]
            if all(block.district.is_land(x, y, 3) for x, y in points):
                block.streets.add(points, 1.6, 0.3, 1.3, z=0.1, lamps=False)
    for _ in range(230 if block.near else 50):
        u, v = random.uniform(-104, 104), random.uniform(-80, 80)
        inside = ((u - u0) / 70) ** 2 + ((v - v0) / 44) ** 2
        if inside > 1 and (inside > 2.2 or random.random() < 0.3):
            block.tree(u, v, 0.75, 1.35)


def sports_ground(block: Superblock) -> None:
    """A school beside a running track with a pitch under floodlights."""
    block.floor(rect(WIDTH, DEPTH), LAWN, "grass")
    u0, v0 = 22.0, -8.0

    def moved(plan: Plan) -> Plan:
        return [(u + u0, v + v0) for u, v in plan]

    block.floor(moved(rounded(148, 82, 40, 12)), (0.30, 0.12, 0.075), "floodlit", 0.08)
    block.floor(moved(rounded(128, 62, 30, 12)), (0.060, 0.115, 0.035), "floodlit", 0.10)
    for i in range(10):
        block.floor(moved(rect(5, 58, -45 + i * 10, 0)), (0.078, 0.140, 0.042), "floodlit", 0.11)
    for line in (
        rect(100, 0.5, 0, 29),
        rect(100, 0.5, 0, -29),
        rect(0.5, 58, 50, 0),
        rect(0.5, 58, -50, 0),
        rect(0.5, 58, 0, 0),
    ):
        block.floor(moved(line), (0.5, 0.5, 0.47), "floodlit", 0.13)
    if block.is_land(u0, v0, 70):
        for u, v in ((-62, -46), (62, -46), (-62, 46), (62, 46)):
            x, y = block.at(u0 + u, v0 + v)
            block.ground.box(x - 0.25, y - 0.25, 0, x + 0.25, y + 0.25, 26, "render", (0.3, 0.3, 0.3))
            block.ground.box(x - 2.4, y - 0.4, 25, x + 2.4, y + 0.4, 27.4, "glowing", (5.0, 4.9, 4.4))
    block.place("school", -72, 52, pi, 50)
    block.place("street block", -78, -44, reach=32)
    block.row(-98, -71, 98, -71, 8)
    block.row(-50, 56, 98, 56, 8)
    block.grove(60, 66, 70, 14, 16)


FILLERS: dict[str, Callable[[Superblock], None]] = {
    "shophouses": shophouses,
    "houses": houses,
    "estate": estate,
    "condominiums": condominiums,
    "street blocks": street_blocks,
    "centre": centre,
    "mixed centre": mixed_centre,
    "park": park,
    "sports ground": sports_ground,
}
