"""Furniture of the terrace: an armchair, a low table, a planter with grasses."""

from math import cos, pi, sin
from random import Random

from city.plans import rounded
from mesh import MeshBuilder, Placement, circle, rectangle


def armchair(mesh: MeshBuilder, place: Placement, floor: float) -> None:
    """A low lounge chair of teak with cushions. It faces its positive y."""
    teak = (0.20, 0.115, 0.06)
    for x in (-0.36, 0.36):
        for y in (-0.34, 0.36):
            mesh.prism(
                place.all(rectangle(x - 0.022, y - 0.022, x + 0.022, y + 0.022)),
                floor,
                floor + 0.56,
                "terrace board",
                "terrace board",
                None,
                teak,
            )
        mesh.prism(
            place.all(rectangle(x - 0.035, -0.40, x + 0.035, 0.42)),
            floor + 0.56,
            floor + 0.59,
            "terrace board",
            "terrace board",
            "terrace board",
            teak,
        )
    mesh.prism(
        place.all(rectangle(-0.36, -0.36, 0.36, 0.38)),
        floor + 0.24,
        floor + 0.28,
        "terrace board",
        "terrace board",
        "terrace board",
        teak,
    )
    cushion(mesh, place, 0.0, 0.02, 0.33, 0.36, floor + 0.28, 0.15)
    cushion(mesh, place, 0.0, -0.29, 0.325, 0.085, floor + 0.41, 0.47, lean=-0.17)


def cushion(
    mesh: MeshBuilder,
    place: Placement,
    x: float,
    y: float,
    half_width: float,
    half_depth: float,
    z: float,
    height: float,
    lean: float = 0.0,
) -> None:
    """A cushion with rounded edges. Its top is `lean` metres further along y than its foot."""
    rings = 12
    outlines = []
    for i in range(rings + 1):
        share = i / rings
        inset = 0.05 * (1 - sin(pi * share) ** 0.35)
        outline = rounded(2 * (half_width - inset), 2 * (half_depth - inset), min(0.05, half_depth - inset - 0.005), 6)
        outlines.append(([place(x + px, y + py + lean * share) for px, py in outline], z + height * share))
    for (low, z0), (high, z1) in zip(outlines, outlines[1:]):
        for i in range(len(low)):
            j = (i + 1) % len(low)
            mesh.face([(*low[i], z0), (*low[j], z0), (*high[j], z1), (*high[i], z1)], "fabric")
    mesh.horizontal(outlines[-1][0], outlines[-1][1], "fabric")


def side_table(mesh: MeshBuilder, place: Placement, floor: float) -> None:
    """A round table with a small lantern at its edge."""
    top = [place(x, y) for x, y in circle(0, 0, 0.24, 40)]
    mesh.prism(top, floor + 0.44, floor + 0.46, "terrace stone", "terrace stone", "terrace stone")
    mesh.prism([place(x, y) for x, y in circle(0, 0, 0.025, 16)], floor, floor + 0.44, "terrace metal")
    mesh.prism([place(x, y) for x, y in circle(0, 0, 0.15, 32)], floor, floor + 0.015, "terrace metal", "terrace metal")
    mesh.prism(
        [place(x, y) for x, y in circle(-0.05, 0.06, 0.05, 20)],
        floor + 0.47,
        floor + 0.60,
        "glowing",
        None,
        None,
        (0.62, 0.33, 0.13),
    )
    for z0, z1 in ((0.46, 0.475), (0.60, 0.62)):
        mesh.prism(
            [place(x, y) for x, y in circle(-0.05, 0.06, 0.062, 20)],
            floor + z0,
            floor + z1,
            "terrace metal",
            "terrace metal",
            "terrace metal",
        )


def planter(
    mesh: MeshBuilder,
    random: Random,
    place: Placement,
    floor: float,
    half_width: float = 0.75,
    half_depth: float = 0.24,
) -> None:
    """A long trough of grasses and broad leaves."""
    height = 0.42
    outline = rounded(2 * half_width, 2 * half_depth, 0.06)
    inner = rounded(2 * half_width - 0.07, 2 * half_depth - 0.07, 0.025)
    mesh.prism(place.all(outline), floor, floor + height, "glazed pot", None)
    mesh.prism(place.all(inner[::-1]), floor + height - 0.06, floor + height, "glazed pot")
    for i in range(len(outline)):
        j = (i + 1) % len(outline)
        mesh.horizontal(place.all([outline[i], outline[j], inner[j], inner[i]]), floor + height, "glazed pot")
    mesh.horizontal(place.all(inner), floor + height - 0.05, "bark")
    for _ in range(620):
        blade(
            mesh,
            random,
            place,
            random.uniform(-half_width + 0.08, half_width - 0.08),
            random.uniform(-half_depth + 0.07, half_depth - 0.07),
            floor + height - 0.05,
        )


def blade(mesh: MeshBuilder, random: Random, place: Placement, x: float, y: float, z: float) -> None:
    """One leaf that rises and bends over, in five pieces."""
    turn, length, width = random.uniform(0, 2 * pi), random.uniform(0.30, 0.72), random.uniform(0.006, 0.013)
    lean, droop = random.uniform(0.06, 0.35), random.uniform(0.10, 0.28)
    shade = random.uniform(0.15, 0.9)
    sx, sy = -sin(turn), cos(turn)
    left, right = [], []
    for k in range(6):
        f = k / 5
        out = length * (lean * f + 0.35 * f * f)
        up = length * (f - droop * f * f * f * 2)
        half = width * (1 - f**2) + 0.0008
        cx, cy = x + cos(turn) * out, y + sin(turn) * out
        left.append((*place(cx + sx * half, cy + sy * half), z + up))
        right.append((*place(cx - sx * half, cy - sy * half), z + up))
    for k in range(5):
        mesh.face([left[k], right[k], right[k + 1], left[k + 1]], "leaf", (shade, shade, shade))
