"""Streets of the city: asphalt under lamps, trees along the kerbs, cars with their lights on."""

from math import atan2, dist, hypot
from random import Random

from city.materials import LAMP_SPACING
from city.models import Models
from city.scatter import Scatter
from mesh import MeshBuilder, Point2

SURFACE = 0.06


class Streets:
    """Adds streets to one mesh, with trees, lamps and cars."""

    def __init__(self, mesh: MeshBuilder, models: Models, scatter: Scatter, random: Random):
        self._mesh, self._models, self._scatter, self._random = mesh, models, scatter, random

    def add(
        self,
        line: list[Point2],
        half: float,
        sidewalk: float = 4.0,
        light: float = 1.0,
        traffic: float = 0.0,
        trees: float = 0.0,
        z: float = SURFACE,
        lamps: bool = True,
    ) -> None:
        """A street along `line`, with `half` metres of carriageway on each side.

        `traffic` is the number of cars per 100 m and direction. `trees` is the distance between trees, 0 for none.
        """
        along = 0.0
        edge = half + sidewalk
        for (ax, ay), (bx, by) in zip(line, line[1:]):
            length = hypot(bx - ax, by - ay)
            nx, ny = -(by - ay) / length * edge, (bx - ax) / length * edge
            corners = [(ax - nx, ay - ny, z), (bx - nx, by - ny, z), (bx + nx, by + ny, z), (ax + nx, ay + ny, z)]
            uv = [(along, -edge), (along + length, -edge), (along + length, edge), (along, edge)]
            self._mesh.face(corners, "city street", (half, light, 1.0 if half > 5 else 0.0), uv)
            self._add_trees_lamps_and_cars((ax, ay), (bx, by), along, half, traffic, trees, z, lamps)
            along += length

    def _add_trees_lamps_and_cars(
        self, a: Point2, b: Point2, along: float, half: float, traffic: float, trees: float, z: float, lamps: bool
    ) -> None:
        random, length = self._random, dist(a, b)
        dx, dy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
        heading = atan2(dy, dx)

        def at(distance: float, side: float) -> Point2:
            return a[0] + dx * distance - dy * side, a[1] + dy * distance + dx * side

        if trees:
            for side in (-1, 1):
                for i in range(round(length / trees)):
                    if random.random() < 0.88:
                        spot = at((i + random.uniform(0.2, 0.8)) * trees, side * (half + 2.2))
                        self._scatter.add(
                            self._models.tree(random), *spot, z, random.uniform(0, 6.28), random.uniform(0.7, 1.05)
                        )
        if lamps:
            first = -(along % LAMP_SPACING)
            distance = first if first >= 0 else first + LAMP_SPACING
            while distance < length:
                for side in (-1, 1):
                    self._scatter.add(
                        self._models.street_lamp(),
                        *at(distance, side * (half + 0.6)),
                        z,
                        heading + (0 if side < 0 else 3.1416),
                    )
                distance += LAMP_SPACING
        if traffic:
            # Traffic drives on the left.
            for direction in (-1, 1):
                for _ in range(int(traffic * length / 100 + random.random())):
                    lane = random.choice((1.75, 5.2)) if half > 5 else 1.75
                    spot = at(random.uniform(0, length), direction * lane)
                    self._scatter.add(
                        self._models.car(random), *spot, z + 0.02, heading + (0 if direction > 0 else 3.1416)
                    )
