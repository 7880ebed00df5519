"""Residential and office towers. Each kind has a different plan, facade and top."""

from random import Random

from city.building import CONCRETE, FELT, GARDEN, METAL, balconies, band, flat_roof, roof_plant, shrub, walls
from city.low_buildings import PALE
from city.plans import Plan, chamfered, cross, ellipse, grown, rect, rounded, scaled, size
from mesh import Color, MeshBuilder, fin, outward_normals

STEEL: tuple[Color, ...] = (
    (0.24, 0.27, 0.31),
    (0.34, 0.35, 0.36),
    (0.42, 0.40, 0.37),
    (0.20, 0.23, 0.25),
    (0.50, 0.48, 0.45),
    (0.36, 0.31, 0.26),
)
CROWN_LIGHT: tuple[Color, ...] = ((1.1, 0.78, 0.46), (0.85, 0.86, 0.9), (1.0, 0.66, 0.34))
BEACON: Color = (2.2, 0.16, 0.08)


def podium_deck(mesh: MeshBuilder, random: Random, plan: Plan, height: float) -> None:
    """Parking and shops under a garden deck with a pool."""
    walls(mesh, plan, 0, 4.2, "shopfront", CONCRETE)
    walls(mesh, plan, 4.2, height, random.choice(("ribbon", "ribs")), random.choice(PALE))
    flat_roof(mesh, plan, height, color=GARDEN, wall=CONCRETE)
    w, d = size(plan)
    x, y = 0.0, -d * 0.36
    mesh.horizontal(rect(w * 0.5, d * 0.13, x, y), height + 0.15, "flat roof", (0.42, 0.36, 0.28))
    mesh.horizontal(rect(w * 0.42, d * 0.075, x, y), height + 0.2, "glowing", (0.035, 0.20, 0.22))
    for _ in range(26):
        px, py = random.uniform(-0.46, 0.46) * w, random.uniform(-0.46, 0.46) * d
        if abs(px) > w * 0.33 or abs(py) > d * 0.42 or py > d * 0.3:
            shrub(mesh, px, py, height, random.uniform(1.2, 2.4))


def point_block(mesh: MeshBuilder, random: Random, shape: str, storeys: int) -> None:
    """A residential tower on a podium."""
    plan = {
        "octagon": chamfered(25, 25, 7),
        "cross": cross(30, 26, 7, 6),
        "rounded": rounded(30, 20, 6),
        "ellipse": ellipse(33, 20),
        "slim": chamfered(36, 15, 2.5),
        "square": rect(23, 23),
    }[shape]
    wall = random.choice(PALE)
    storey = 3.1
    base = random.choice((8.0, 11.6))
    podium_deck(mesh, random, rounded(52, 40, 5), base)
    top = base + storeys * storey
    walls(mesh, plan, base, top, "flats wide", wall)
    if shape in ("cross", "square"):
        w, d = size(plan)
        for x, y, bw, bd in (
            (0, -d / 2 - 0.7, w * 0.42, 1.6),
            (0, d / 2 + 0.7, w * 0.42, 1.6),
            (-w / 2 - 0.7, 0, 1.6, d * 0.42),
            (w / 2 + 0.7, 0, 1.6, d * 0.42),
        ):
            balconies(mesh, rect(bw, bd, x, y), base, top - 1, storey, 0.1, wall)
        for x, y in ((-w * 0.23, -d / 2), (w * 0.23, -d / 2), (-w * 0.23, d / 2), (w * 0.23, d / 2)):
            band(mesh, rect(0.7, 2.6, x, y), base, top + 1.6, wall)
    else:
        balconies(mesh, plan, base, top - 1, storey, random.uniform(0.9, 1.4), wall)
    flat_roof(mesh, plan, top, wall=wall)
    upper = scaled(plan, 0.72)
    walls(mesh, upper, top, top + 4.2, "flats wide", wall)
    band(mesh, grown(upper, 1.4), top + 4.1, top + 4.7, wall)
    mesh.ribbon(
        grown(upper, 0.15), top + 3.6, top + 4.0, "glowing", color=scaled_color(random.choice(CROWN_LIGHT), 0.5)
    )
    roof_plant(mesh, random, upper, top + 4.7, tanks=True)


def scaled_color(color: Color, factor: float) -> Color:
    return tuple(part * factor for part in color)


def office_tower(mesh: MeshBuilder, random: Random, kind: str, height: float) -> None:
    """An office tower of about `height` metres. `kind` is a key of OFFICES."""
    OFFICES[kind](mesh, random, height)


def plant_floors(mesh: MeshBuilder, plan: Plan, height: float) -> None:
    """Louvred plant floors, about every 75 m."""
    count = int(height / 75)
    for i in range(1, count + 1):
        z = height * i / (count + 1)
        mesh.ribbon(grown(plan, 0.15), z, z + 5.2, "render", color=(0.10, 0.105, 0.11))


def crown_line(mesh: MeshBuilder, random: Random, plan: Plan, z: float) -> None:
    mesh.ribbon(grown(plan, 0.25), z, z + 0.7, "glowing", color=random.choice(CROWN_LIGHT))


def mast(mesh: MeshBuilder, x: float, y: float, z: float, height: float) -> None:
    mesh.tube((x, y, z), (x, y, z + height), 0.7, 0.15, "render", 5, METAL)
    mesh.box(x - 0.5, y - 0.5, z + height, x + 0.5, y + 0.5, z + height + 0.9, "glowing", BEACON)


def stepped(mesh: MeshBuilder, random: Random, height: float) -> None:
    """A tower with setbacks and a terrace on each."""
    steel, facade = random.choice(STEEL), random.choice(("ribs", "punched", "curtain"))
    plan, z = chamfered(42, 36, 3), 0.0
    for share, shrink in ((0.10, 0.84), (0.52, 0.86), (0.22, 0.80), (0.10, 0.72), (0.06, 0.5)):
        z1 = z + height * share
        walls(mesh, plan, z, z1, facade, steel)
        flat_roof(mesh, plan, z1, color=FELT, wall=steel)
        if share > 0.08:
            plant_floors(mesh, plan, height * share)
        plan, z = scaled(plan, shrink), z1
    crown_line(mesh, random, scaled(plan, 1.9), z - height * 0.06)
    roof_plant(mesh, random, scaled(plan, 1.6), z)
    mast(mesh, 0, 0, z + 3, height * 0.12)


def wedge(mesh: MeshBuilder, random: Random, height: float) -> None:
    """A glass prism cut off at a slant."""
    steel = random.choice(STEEL)
    plan = chamfered(36, 32, 5)
    low, rise = height * 0.88, height * 0.12
    walls(mesh, plan, 0, low, "curtain", steel)
    plant_floors(mesh, plan, low)
    cut = [(x, y, low + rise * (x / 36 + 0.5)) for x, y in plan]
    along = 0.0
    for a, b, high_a, high_b in zip(plan, plan[1:] + plan[:1], cut, cut[1:] + cut[:1]):
        length = abs(a[0] - b[0]) + abs(a[1] - b[1])
        uv = [(along, low), (along + length, low), (along + length, high_b[2]), (along, high_a[2])]
        mesh.face([(*a, low), (*b, low), high_b, high_a], "curtain", steel, uv)
        along += length
    mesh.face(cut, "render", scaled_color(steel, 0.8))
    crown_line(mesh, random, plan, low - 1)


def oval(mesh: MeshBuilder, random: Random, height: float) -> None:
    """A round tower with a ring of light behind its crown of glass."""
    steel = random.choice(STEEL)
    plan = ellipse(38, 30, 32)
    walls(mesh, plan, 0, height, "ribbon", steel)
    for i in range(int(height / 3.7)):
        mesh.ribbon(grown(plan, 0.55), i * 3.7 + 0.9, i * 3.7 + 1.25, "render", color=scaled_color(steel, 1.3))
    mesh.horizontal(plan, height, "flat roof", FELT)
    walls(mesh, plan, height, height + 8, "curtain", steel)
    inner = scaled(plan, 0.72)
    walls(mesh, inner, height, height + 6, "ribs", steel)
    crown_line(mesh, random, inner, height + 4.5)
    band(mesh, grown(inner, 0.4), height + 6, height + 6.5, METAL)


def interlocked(mesh: MeshBuilder, random: Random, height: float) -> None:
    """Two slabs of different height that share a core."""
    light, dark = random.choice(STEEL[2:]), random.choice(STEEL[:2])
    tall, short = rect(20, 34, -7, 2), rect(20, 34, 9, -3)
    walls(mesh, tall, 0, height, "curtain", dark)
    walls(mesh, short, 0, height * 0.84, "ribs", light)
    flat_roof(mesh, short, height * 0.84, color=GARDEN, wall=light)
    flat_roof(mesh, tall, height, wall=dark, parapet=3.0)
    plant_floors(mesh, tall, height)
    core = rect(8, 12, 1, 0)
    band(mesh, core, 0, height + 6, light)
    mesh.box(-0.95, -16.5, height * 0.2, -0.45, -16.1, height * 0.84, "glowing", (0.75, 0.62, 0.45))
    mast(mesh, 1, 0, height + 6, height * 0.1)


def finned(mesh: MeshBuilder, random: Random, height: float) -> None:
    """Stone or metal fins from the ground to an open crown."""
    stone = random.choice(STEEL[1:])
    plan = rounded(34, 34, 7, 4)
    walls(mesh, plan, 0, height, "ribbon", stone)
    mesh.horizontal(plan, height, "flat roof", FELT)
    points = []
    for a, b in zip(plan, plan[1:] + plan[:1]):
        length = ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5
        steps = max(1, round(length / 2.8))
        points += [(a[0] + (b[0] - a[0]) * i / steps, a[1] + (b[1] - a[1]) * i / steps) for i in range(steps)]
    for point, normal in zip(points, outward_normals(points)):
        mesh.prism(fin(point, normal, 0.22, 0.9), 6, height + 7, "render", "render", None, scaled_color(stone, 1.15))
    roof_plant(mesh, random, scaled(plan, 0.8), height)
    mesh.ribbon(
        scaled(plan, 0.9), height, height + 4.5, "glowing", color=scaled_color(random.choice(CROWN_LIGHT), 0.55)
    )


def terraced(mesh: MeshBuilder, random: Random, height: float) -> None:
    """A hotel or mixed tower with planted terraces cut into its corner and a podium."""
    wall = random.choice(PALE)
    podium_deck(mesh, random, rounded(58, 46, 4), 17)
    levels = 4
    for i in range(levels):
        z0, z1 = 17 + (height - 17) * i / levels, 17 + (height - 17) * (i + 1) / levels
        plan = rect(40 - i * 4, 24, -i * 2.0, 0)
        walls(mesh, plan, z0, z1 - 3, "flats wide", wall)
        walls(mesh, scaled(plan, 0.92), z1 - 3, z1, "shopfront", wall)
        flat_roof(mesh, plan, z1, color=GARDEN, wall=wall)
        for _ in range(6):
            shrub(mesh, 17 - i * 4 + random.uniform(-2, 2), random.uniform(-9, 9), z1, random.uniform(1.2, 2.0))
    roof_plant(mesh, random, rect(24, 20, -6), height)


def cut_corner(mesh: MeshBuilder, random: Random, height: float) -> None:
    """A square shaft, an octagon above it, and a lantern on top."""
    steel = random.choice(STEEL)
    shaft, upper = rect(33, 33), chamfered(33, 33, 8)
    split = height * 0.62
    walls(mesh, shaft, 0, split, "ribs", steel)
    flat_roof(mesh, shaft, split, wall=steel)
    walls(mesh, upper, split, height, "ribs", steel)
    flat_roof(mesh, upper, height, wall=steel)
    lantern = scaled(upper, 0.62)
    walls(mesh, lantern, height, height + 13, "curtain", steel)
    crown_line(mesh, random, lantern, height + 11.5)
    flat_roof(mesh, lantern, height + 13, wall=steel)
    plant_floors(mesh, shaft, split)
    mast(mesh, 0, 0, height + 13, height * 0.08)


OFFICES = {
    "stepped": stepped,
    "wedge": wedge,
    "oval": oval,
    "interlocked": interlocked,
    "finned": finned,
    "terraced": terraced,
    "cut corner": cut_corner,
}
