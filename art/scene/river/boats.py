"""Boats on the river."""

from math import pi, sin

from layout import WATER_LEVEL
from mesh import Color, MeshBuilder, Placement, Point2, circle, rectangle
from stage import Scene

CABIN_LIGHT: Color = (0.80, 0.45, 0.19)
HULL_WHITE: Color = (0.60, 0.58, 0.54)
HULL_NAVY: Color = (0.018, 0.026, 0.042)
HULL_TEAK: Color = (0.24, 0.11, 0.05)


def build(scene: Scene) -> None:
    boats = scene.mesh("boats")
    river_cruiser(boats, Placement(-92, -212, 0.06))
    bumboat(scene, boats, Placement(19, -240, pi + 0.14))
    bumboat(scene, boats, Placement(160, -128, 0.03))
    if not scene.view.over_water:
        river_cruiser(boats, Placement(-420, -205, 0.35))
    boats.build(smooth_angle=30)


def hull(
    mesh: MeshBuilder, place: Placement, length: float, beam: float, freeboard: float, color: Color
) -> list[Point2]:
    """A hull that narrows and rises to the bow (+x) and widens from water to deck. Returns the outline of the deck."""
    stations = 16
    keel, deck = [], []
    for i in range(stations + 1):
        t = i / stations
        fullness = min(1.0, 0.72 + 1.4 * t) * (1 - max(0.0, (t - 0.58) / 0.42) ** 2.2)
        rise = freeboard * (1 + 0.55 * max(0.0, t - 0.5) ** 2 * 4)
        x = (t - 0.5) * length
        keel.append((x - 0.04 * length * t, beam * 0.40 * fullness))
        deck.append((x, beam * 0.50 * fullness, WATER_LEVEL + rise))
    bottom = WATER_LEVEL - 0.3
    for side in (-1, 1):
        for i in range(stations):
            (kx0, ky0), (kx1, ky1) = keel[i], keel[i + 1]
            (x0, y0, z0), (x1, y1, z1) = deck[i], deck[i + 1]
            low = [(*place(kx0, side * ky0), bottom), (*place(kx1, side * ky1), bottom)]
            high = [(*place(x1, side * y1), z1), (*place(x0, side * y0), z0)]
            mesh.face(low + high, "painted", color)
            stripe = [
                (*place(x0, side * (y0 + 0.02)), z0 - 0.14),
                (*place(x1, side * (y1 + 0.02)), z1 - 0.14),
                (*place(x1, side * (y1 + 0.02)), z1 + 0.05),
                (*place(x0, side * (y0 + 0.02)), z0 + 0.05),
            ]
            mesh.face(stripe, "bronze")
    for i in range(stations):
        (x0, y0, z0), (x1, y1, z1) = deck[i], deck[i + 1]
        mesh.face([(*place(x0, -y0), z0), (*place(x1, -y1), z1), (*place(x1, y1), z1), (*place(x0, y0), z0)], "timber")
    x, y, z = deck[0]
    mesh.face(
        [(*place(x, y), bottom), (*place(x, -y), bottom), (*place(x, -y), z), (*place(x, y), z)], "painted", color
    )
    return [(x, -y) for x, y, _ in deck]


def saloon(
    mesh: MeshBuilder, place: Placement, x0: float, x1: float, half: float, z0: float, height: float, light: Color
) -> None:
    """A cabin with a rounded front, lit inside, and an overhanging roof."""
    nose = [(x1 + 1.6 * sin(pi * k / 8), half * (1 - 2 * k / 8) * -1) for k in range(9)]
    plan = [(x0, half), (x0, -half), *nose]
    plan = plan[::-1] if area(plan) < 0 else plan
    inside = [(x * 0.97, y * 0.55) for x, y in plan]
    mesh.ribbon(place.all(inside), z0, z0 + height, "glowing", color=light)
    mesh.horizontal(place.all(plan), z0 + height - 0.02, "glowing", tuple(c * 1.15 for c in light), down=True)
    mesh.ribbon(place.all(plan), z0, z0 + 0.55, "painted", color=HULL_WHITE)
    mesh.ribbon(place.all(plan), z0 + 0.55, z0 + height, "glass")
    roof = [(x * 1.02 + (0.4 if x > 0 else -0.4), y * 1.10) for x, y in plan]
    mesh.prism(place.all(roof), z0 + height, z0 + height + 0.20, "painted", "painted", "painted", HULL_WHITE)
    x = x0
    while x < x1:
        for side in (-1, 1):
            mesh.prism(
                place.all(rectangle(x, side * half - 0.05, x + 0.12, side * half + 0.05)), z0 + 0.5, z0 + height, "dark"
            )
        x += 1.7


def area(polygon: list[Point2]) -> float:
    return sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(polygon, [*polygon[1:], polygon[0]])) / 2


def river_cruiser(mesh: MeshBuilder, place: Placement) -> None:
    """A white dinner boat of 28 m with a saloon and an open upper deck."""
    hull(mesh, place, 28, 6.4, 1.5, HULL_NAVY)
    floor = WATER_LEVEL + 1.5
    saloon(mesh, place, -11.5, 6.5, 2.5, floor, 2.3, CABIN_LIGHT)
    upper = floor + 2.5
    saloon(mesh, place, 0.5, 4.2, 1.8, upper, 2.0, tuple(c * 0.7 for c in CABIN_LIGHT))
    for side in (-1, 1):
        rail = [place(-11.6, side * 2.6), place(0.5, side * 2.6)]
        mesh.ribbon(rail, upper, upper + 0.95, "rail", closed=False)
        mesh.ribbon(rail, upper + 0.95, upper + 1.02, "bronze", closed=False)
        for x in range(-11, 0, 2):
            bulb = place.all(circle(x, side * 2.35, 0.09, 6))
            mesh.prism(bulb, upper + 2.0, upper + 2.18, "glowing", "glowing", "glowing", (5.0, 3.1, 1.5))
            mesh.prism(place.all(circle(x, side * 2.35, 0.03, 5)), upper, upper + 2.0, "dark")
    mesh.prism(place.all(circle(2.2, 0, 0.06, 6)), upper + 2.2, upper + 4.6, "painted", "painted", color=HULL_WHITE)


def bumboat(scene: Scene, mesh: MeshBuilder, place: Placement) -> None:
    """A teak river boat of 13 m with a canopy and lanterns."""
    hull(mesh, place, 13.5, 3.6, 1.0, HULL_TEAK)
    floor = WATER_LEVEL + 1.0
    for x in (-4.6, -2.3, 0.0, 2.3):
        for side in (-1, 1):
            mesh.prism(place.all(circle(x, side * 1.25, 0.05, 6)), floor, floor + 2.0, "timber")
            lantern = place.all(circle(x + 1.1, side * 1.15, 0.13, 8))
            mesh.prism(lantern, floor + 1.5, floor + 1.78, "glowing", "glowing", "glowing", (3.4, 1.7, 0.62))
    steps = 6
    arch = [(1.5 * (1 - 2 * k / steps), floor + 2.0 + 0.38 * sin(pi * k / steps)) for k in range(steps + 1)]
    for (y0, z0), (y1, z1) in zip(arch, arch[1:]):
        mesh.face(
            [(*place(-5.0, y0), z0), (*place(2.7, y0), z0), (*place(2.7, y1), z1), (*place(-5.0, y1), z1)],
            "painted",
            (0.34, 0.20, 0.11),
        )
    mesh.prism(place.all(rectangle(-4.4, -0.9, 2.0, 0.9)), floor, floor + 0.5, "timber", "timber")
    scene.lamp(*place(-1.2, 0), floor + 1.5, 55)
