"""Builds a piece of furniture from boxes with soft edges, cushions, cloth and turned forms.

Coordinates are those of the plan's symbols: x across, v from the back towards the front, z above the floor.
"""

from collections.abc import Sequence
from math import cos, hypot, pi, radians, sin
from random import Random

from mathutils import Matrix, Vector
from mathutils.noise import noise

from interior.unit import Flat, inside
from mesh import BLACK, Color, Point2, Point3
from stage import Scene


def rounded(profile: Sequence[tuple[float, float]], least: int = 24) -> list[tuple[float, float]]:
    """A Catmull-Rom spline through the points of a profile, with at least `least` points."""
    steps = max(4, -(-least // (len(profile) - 1)))
    ends = [profile[0], *profile, profile[-1]]
    points = []
    for a, b, c, d in zip(ends, ends[1:], ends[2:], ends[3:]):
        for k in range(steps):
            t = k / steps
            point = [
                0.5 * (2 * q + (r - p) * t + (2 * p - 5 * q + 4 * r - s) * t * t + (3 * q - p - 3 * r + s) * t * t * t)
                for p, q, r, s in zip(a, b, c, d)
            ]
            points.append((max(0.0, point[0]), point[1]))
    return [*points, profile[-1]]


class Piece:
    def __init__(self, scene: Scene, flat: Flat, name: str, origin: tuple[float, float], turn: float = 0.0):
        self.scene, self.flat, self.name = scene, flat, name
        self.origin, self.turn = origin, turn
        self.random: Random = scene.random(f"{flat.unit} {name} {origin}")
        self.hard, self.soft = scene.mesh(name), scene.mesh(f"{name} cushions")

    def build(self, edge: float = 0.004) -> bool:
        """Adds the piece to the scene. Returns False for a piece without a face."""
        for mesh, angle in ((self.hard, None), (self.soft, 70)):
            if mesh.empty:
                continue
            item = mesh.build(smooth_angle=angle or 30)
            x, y = self.flat.place(self.origin[0], -self.origin[1])
            item.location = (x, y, self.flat.floor)
            item.rotation_euler = (0, 0, self.flat.place.angle - radians(self.turn))
            if angle is None and edge:
                modifier = item.modifiers.new("bevel", "BEVEL")
                modifier.width, modifier.segments, modifier.limit_method = edge, 3, "ANGLE"
                modifier.harden_normals = False
        return not (self.hard.empty and self.soft.empty)

    def box(self, x0, v0, z0, x1, v1, z1, material: str, color: Color = BLACK) -> None:
        self.hard.box(x0, -v1, z0, x1, -v0, z1, material, color)

    def leg(
        self, x, v, z0, z1, radius, material: str, foot: float | None = None, lean=(0.0, 0.0), color: Color = BLACK
    ) -> None:
        """A round leg, thinner at the foot. The foot is `lean` further out."""
        self.soft.tube((x + lean[0], -v - lean[1], z0), (x, -v, z1), foot or radius, radius, material, 14, color)

    def light(self, x: float, v: float, z: float, power: float, radius: float) -> None:
        """The light of a lamp. By day it is too weak to be visible."""
        page_x, page_y = self.on_page(x, v)
        self.scene.lamp(*self.flat.place(page_x, -page_y), self.flat.floor + z, power, (1.0, 0.76, 0.48), radius)

    def on_page(self, x: float, v: float) -> Point2:
        """A point of the piece on the plan's page."""
        turn = radians(-self.turn)
        return (
            self.origin[0] + x * cos(turn) + v * sin(turn),
            self.origin[1] - x * sin(turn) + v * cos(turn),
        )

    def is_in_room(self, x: float, v: float) -> bool:
        """Whether no wall is between a point of the piece and its middle. Outdoors there are only walls of rooms."""
        rooms = self.flat.plan["rooms"]
        here, there = (
            [room for room in rooms if inside(room["polygon"], point)]
            for point in (self.on_page(0, 0.05), self.on_page(x, v))
        )
        is_outdoors = all(room["floor"] == "deck" for room in here)
        return here == there or (is_outdoors and not there)

    def turned(
        self,
        x,
        v,
        z,
        profile: Sequence[tuple[float, float]],
        material: str,
        color: Color = BLACK,
        sides: int = 64,
        caps: bool = True,
        smooth: bool = False,
    ) -> None:
        """A turned form, from (radius, height) pairs of the bottom up; `smooth` rounds it to 24 points and more."""
        if smooth:
            profile = rounded(profile)
        rings = [
            [(x + r * cos(2 * pi * i / sides), -v + r * sin(2 * pi * i / sides), z + h) for i in range(sides)]
            for r, h in profile
        ]
        for low, high in zip(rings, rings[1:]):
            for i in range(sides):
                j = (i + 1) % sides
                self.soft.face([low[i], low[j], high[j], high[i]], material, color)
        for ring, (radius, _) in ((rings[0], profile[0]), (rings[-1], profile[-1])):
            if caps and radius > 0.004:
                self.soft.face(ring, material, color)

    def grid(self, rows: Sequence[Sequence[Point3]], material: str, color: Color = BLACK) -> None:
        """A surface through rows of points (x, v, z)."""
        for a, b in zip(rows, rows[1:]):
            for p, q, r, s in zip(a, a[1:], b[1:], b):
                self.soft.face([(x, -v, z) for x, v, z in (p, q, r, s)], material, color)

    def cushion(
        self,
        middle: Point3,
        size: Point3,
        material: str = "linen",
        color: Color = (0.6, 0.56, 0.5),
        radius: float = 0.05,
        crown: float = 0.015,
        crease: float = 0.004,
        tilt: tuple[float, float, float] = (0, 0, 0),
    ) -> None:
        """A block with round edges and a swollen top. `tilt` is in degrees about x, v and z."""
        hx, hy, hz = (s / 2 for s in size)
        radius = min(radius, hx - 0.002, hy - 0.002, hz - 0.002)
        # v points to the front and is the negative y axis, so turns about x and z are mirrored.
        matrix = (
            Matrix.Rotation(radians(-tilt[2]), 3, "Z")
            @ Matrix.Rotation(radians(tilt[1]), 3, "Y")
            @ Matrix.Rotation(radians(-tilt[0]), 3, "X")
        )
        seed = Vector((self.random.uniform(-50, 50), self.random.uniform(-50, 50), self.random.uniform(-50, 50)))
        halves = Vector((hx, hy, hz))

        def steps(half: float) -> list[float]:
            flat = half - radius
            edge = [flat + radius * sin(pi / 2 * k / 5) for k in range(1, 6)]
            inner = [flat * k / 7 for k in range(-7, 8)]
            return [*(-s for s in reversed(edge)), *inner, *edge]

        def point(corner: tuple[float, float, float]) -> Point3:
            p = Vector(corner)
            core = Vector([max(-(h - radius), min(h - radius, c)) for h, c in zip(halves, p)])
            out = p - core
            if out.length > 1e-6:
                p = core + out.normalized() * radius
            swell = (1 - (p.x / hx) ** 2) * (1 - (p.y / hy) ** 2)
            p.z += crown * swell * (1 if p.z > 0 else -0.4)
            p += Vector((0.3, 0.3, 1)) * (crease * noise(p * 7 + seed) + crease * 0.6 * noise(p * 19 + seed))
            x, y, z = matrix @ p
            return (middle[0] + x, middle[1] + y, middle[2] + z)

        xs, ys, zs = steps(hx), steps(hy), steps(hz)
        for z in (-hz, hz):
            self.grid([[point((x, y, z)) for x in xs] for y in ys], material, color)
        for y in (-hy, hy):
            self.grid([[point((x, y, z)) for x in xs] for z in zs], material, color)
        for x in (-hx, hx):
            self.grid([[point((x, y, z)) for y in ys] for z in zs], material, color)

    def pillow(
        self,
        middle: Point3,
        width: float,
        height: float,
        thick: float,
        color: Color,
        lean: float = 20.0,
        turn: float = 0.0,
        material: str = "linen",
    ) -> None:
        """An upright pillow that leans back, with pinched corners."""
        matrix = Matrix.Rotation(radians(-turn), 3, "Z") @ Matrix.Rotation(radians(-lean), 3, "X")
        seed = Vector((self.random.uniform(-50, 50), self.random.uniform(-50, 50), 0))
        count = 34
        for side in (-1, 1):
            rows = []
            for i in range(count + 1):
                row = []
                for j in range(count + 1):
                    # Rows are denser towards the round edges.
                    a, b = (sin(pi / 2 * (2 * k / count - 1)) for k in (j, i))
                    full = (max(0.0, 1 - a * a) * max(0.0, 1 - b * b)) ** 0.40
                    fold = 0.035 * noise(Vector((a * 2.2, b * 2.2, side * 3)) + seed) * full
                    waist = 1 - 0.055 * (1 - b * b) * abs(a) ** 3
                    tall = 1 - 0.055 * (1 - a * a) * abs(b) ** 3
                    p = matrix @ Vector(
                        (a * width / 2 * waist, side * (thick / 2 * full) + fold * thick, b * height / 2 * tall)
                    )
                    row.append((middle[0] + p.x, middle[1] + p.y, middle[2] + p.z))
                rows.append(row)
            self.grid(rows, material, color)

    def cloth(
        self,
        path: Sequence[tuple[float, float]],
        x0: float,
        x1: float,
        material: str,
        color: Color,
        wrinkle: float = 0.012,
        scale: float = 3.0,
    ) -> None:
        """Cloth laid along a path of (v, z), from x0 to x1."""
        seed = Vector((self.random.uniform(-50, 50), self.random.uniform(-50, 50), 0))
        lengths = [0.0]
        for (v0, z0), (v1, z1) in zip(path, path[1:]):
            lengths.append(lengths[-1] + hypot(v1 - v0, z1 - z0))
        across = 48
        rows = []
        for k in range(61):
            run = lengths[-1] * k / 60
            i = next(i for i in range(len(path) - 1) if run <= lengths[i + 1] + 1e-9)
            share = (run - lengths[i]) / max(1e-9, lengths[i + 1] - lengths[i])
            v, z = (path[i][n] + (path[i + 1][n] - path[i][n]) * share for n in (0, 1))
            row = []
            for j in range(across + 1):
                x = x0 + (x1 - x0) * j / across
                lift = wrinkle * (
                    noise(Vector((x * scale, run * scale * 1.4, 0)) + seed)
                    + 0.5 * noise(Vector((x * scale * 3, run * scale * 2, 5)) + seed)
                )
                row.append((x + lift * 0.4, v + lift * 0.3, z + abs(lift) * 0.8))
            rows.append(row)
        self.grid(rows, material, color)

    def folds(
        self,
        x0: float,
        x1: float,
        v: float,
        z0: float,
        z1: float,
        material: str = "sheer",
        depth: float = 0.035,
        color: Color = BLACK,
    ) -> None:
        """A curtain in waves that become less regular towards the hem."""
        phase = self.random.uniform(0, 6)
        waves = abs(x1 - x0) / 0.085
        count = max(24, int(waves * 14))
        rows = []
        for k in range(9):
            down = k / 8
            row = []
            for j in range(count + 1):
                t = j / count
                wave = sin(2 * pi * waves * t + phase + 0.5 * down * sin(5 * t + phase))
                row.append(
                    (
                        x0 + (x1 - x0) * t + 0.012 * down * sin(9 * t + phase),
                        v + depth * (0.8 + 0.3 * down) * wave,
                        z1 + (z0 - z1) * down,
                    )
                )
            rows.append(row)
        self.grid(rows, material, color)
