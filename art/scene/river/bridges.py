"""Bridges over the river, west of the part that is visible from the promenade."""

from math import pi, sin

from city.models import Models
from city.scatter import Scatter
from city.streets import Streets
from mesh import MeshBuilder, Placement, rectangle
from river.course import north_bank, south_bank
from stage import Scene

DECK = 9.0
CONCRETE = (0.50, 0.48, 0.45)
WARM_LIGHT = (1.5, 0.92, 0.44)


def build(scene: Scene) -> None:
    mesh, roads, scatter = scene.mesh("bridges"), scene.mesh("bridge decks"), Scatter(scene.blender)
    streets = Streets(roads, Models(scene), scatter, scene.random("bridges"))
    cable_stayed(mesh, streets, -540.0)
    for x in (-1010.0, -1720.0):
        arches(mesh, streets, x)
    mesh.build()
    roads.build()
    scatter.build()


def deck(mesh: MeshBuilder, streets: Streets, x: float, half: float) -> tuple[float, float]:
    """A level deck from bank to bank with ramps on land. Returns the y of its start and its end."""
    south, north = south_bank(x) - 14, north_bank(x) + 14
    mesh.box(x - half, south, DECK - 1.4, x + half, north, DECK, "render", CONCRETE)
    steps = 24
    ys = [south + (north - south) * i / steps for i in range(steps + 1)]
    streets.add([(x, y) for y in ys], half=half - 3.2, sidewalk=2.6, light=1.2, traffic=4.0, z=DECK + 0.05)
    for side in (-1, 1):
        edge = x + side * (half + 0.05)
        mesh.box(edge - 0.1, south, DECK, edge + 0.1, north, DECK + 1.1, "render", CONCRETE)
        corners = [(edge, south), (edge, north)]
        mesh.ribbon(
            corners if side > 0 else corners[::-1], DECK - 0.9, DECK - 0.55, "glowing", closed=False, color=WARM_LIGHT
        )
    for start, away in ((south, -1), (north, 1)):
        ramp = [(start + away * 120 * i / 8, DECK * (1 - i / 8)) for i in range(9)]
        for (y0, z0), (y1, z1) in zip(ramp, ramp[1:]):
            low, high = sorted((y0, y1))
            mesh.box(x - half, low, -0.5, x + half, high, max(0.0, min(z0, z1)), "render", CONCRETE)
            mesh.face(
                [
                    (x - half, y0, z0 + 0.06),
                    (x + half, y0, z0 + 0.06),
                    (x + half, y1, z1 + 0.06),
                    (x - half, y1, z1 + 0.06),
                ],
                "city street",
                (half - 3, 1.0, 1.0),
                [(y0, -half), (y0, half), (y1, half), (y1, -half)],
            )
    return south, north


def cable_stayed(mesh: MeshBuilder, streets: Streets, x: float) -> None:
    """One leaning pair of masts at a third of the crossing, cables in a fan, lit from the deck."""
    half = 12.0
    south, north = deck(mesh, streets, x, half)
    foot = south + (north - south) * 0.40
    top = 74.0
    for side in (-1, 1):
        mesh.tube(
            (x + side * (half + 1.2), foot, -4), (x + side * 1.4, foot, top), 2.1, 1.1, "render", 8, (0.62, 0.59, 0.54)
        )
    for z in (DECK - 2.2, 46.0, 66.0):
        reach = (half + 1.2) * (1 - z / top) + 1.4
        mesh.box(x - reach, foot - 0.9, z, x + reach, foot + 0.9, z + 1.6, "render", (0.62, 0.59, 0.54))
    mesh.box(x - 0.5, foot - 0.5, top, x + 0.5, foot + 0.5, top + 1.2, "glowing", (2.2, 0.16, 0.08))
    for side in (-1, 1):
        for i in range(11):
            share = (i + 1) / 11
            head = top - 3 - 1.9 * (10 - i)
            inward = (half + 1.2) * (1 - head / top) + 0.6
            for end in (south, north):
                y = foot + (end - foot) * (0.10 + 0.88 * share)
                mesh.tube(
                    (x + side * inward, foot, head),
                    (x + side * (half - 0.6), y, DECK),
                    0.17,
                    0.17,
                    "glowing",
                    4,
                    (0.34, 0.27, 0.18),
                )
    mesh.prism(Placement(x, foot).all(rectangle(-17, -6, 17, 6)), -4, 0.6, "render", "render", None, CONCRETE)


def arches(mesh: MeshBuilder, streets: Streets, x: float) -> None:
    """Five flat arches with light under each."""
    half = 9.0
    south, north = deck(mesh, streets, x, half)
    spans = 5
    length = (north - south) / spans
    for i in range(spans):
        y0, y1 = south + i * length, south + (i + 1) * length
        mesh.box(x - half - 0.6, y1 - 2.2, -4, x + half + 0.6, y1 + 2.2, DECK - 1.4, "render", CONCRETE)
        curve = [(y0 + 2 + (length - 4) * k / 12, -1.2 + (DECK - 1.2) * sin(pi * k / 12) ** 0.7) for k in range(13)]
        for (ya, za), (yb, zb) in zip(curve, curve[1:]):
            for side in (-1, 1):
                edge = x + side * half
                corners = [(edge, ya, za), (edge, yb, zb), (edge, yb, DECK - 1.3), (edge, ya, DECK - 1.3)]
                mesh.face(corners if side > 0 else corners[::-1], "render", CONCRETE)
            mesh.face(
                [(x - half, ya, za), (x - half, yb, zb), (x + half, yb, zb), (x + half, ya, za)],
                "glowing",
                (0.34, 0.20, 0.09),
            )
