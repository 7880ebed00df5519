"""Parts of buildings: walls with windows, roofs, plant on the roof, balconies."""

from math import dist
from random import Random

from city.plans import Plan, grown, rect, size
from mesh import Color, MeshBuilder, circle

CONCRETE: Color = (0.34, 0.33, 0.31)
FELT: Color = (0.17, 0.17, 0.17)
GARDEN: Color = (0.075, 0.12, 0.04)
METAL: Color = (0.26, 0.27, 0.28)


def walls(mesh: MeshBuilder, plan: Plan, z0: float, z1: float, facade: str, color: Color) -> None:
    """Outer walls with the bays of `facade`. Every side starts with a full bay."""
    along = 0.0
    for a, b in zip(plan, plan[1:] + plan[:1]):
        length = dist(a, b)
        uv = [(along, z0), (along + length, z0), (along + length, z1), (along, z1)]
        mesh.face([(*a, z0), (*b, z0), (*b, z1), (*a, z1)], facade, color, uv)
        along += length


def band(mesh: MeshBuilder, plan: Plan, z0: float, z1: float, color: Color) -> None:
    """A closed slab or cornice in one colour."""
    mesh.prism(plan, z0, z1, "render", "render", "render", color)


def flat_roof(
    mesh: MeshBuilder, plan: Plan, z: float, color: Color = FELT, parapet: float = 1.1, wall: Color = CONCRETE
) -> None:
    """A roof behind a parapet."""
    mesh.horizontal(plan, z, "flat roof", color)
    inner = grown(plan, -0.4)
    mesh.ribbon(plan, z, z + parapet, "render", color=wall)
    mesh.ribbon(inner[::-1], z, z + parapet, "render", color=wall)
    for i in range(len(plan)):
        j = (i + 1) % len(plan)
        corners = [plan[i], plan[j], inner[j], inner[i]]
        mesh.horizontal(corners, z + parapet, "render", wall)


def roof_plant(mesh: MeshBuilder, random: Random, plan: Plan, z: float, tanks: bool = False) -> None:
    """Lift overruns, condensers, ducts and a garden or solar panels, well inside the parapet."""
    width, depth = size(plan)
    w, d = width * 0.62, depth * 0.62
    across = random.uniform(-0.25, 0.25) * w
    core_w, core_d = min(w * 0.5, random.uniform(5, 9)), min(d * 0.7, random.uniform(4, 7))
    band(mesh, rect(core_w, core_d, across), z, z + random.uniform(3, 4.6), CONCRETE)
    band(mesh, rect(core_w * 0.5, core_d * 0.6, across + core_w * 0.1), z, z + random.uniform(5, 6.2), METAL)
    for side in (-1, 1):
        start = across + side * (core_w / 2 + 1.5)
        room = w / 2 - abs(start) if side * start > 0 else w / 2 + abs(start)
        if room < 3:
            continue
        middle = start + side * room / 2
        kind = random.random()
        if tanks and kind < 0.35:
            mesh.prism(
                circle(middle, 0, min(1.9, room / 2), 12), z, z + 2.8, "render", "render", None, (0.42, 0.42, 0.40)
            )
        elif kind < 0.65:
            for row in range(2):
                for i in range(int(room / 2.6)):
                    x = start + side * (1.3 + i * 2.6)
                    band(mesh, rect(1.7, 1.5, x, (row - 0.5) * min(d * 0.6, 6)), z, z + random.uniform(1.3, 1.8), METAL)
        elif kind < 0.85:
            mesh.horizontal(rect(room * 0.9, d * 0.9, middle), z + 0.12, "grass", GARDEN)
            for _ in range(int(room / 2)):
                shrub(
                    mesh,
                    middle + random.uniform(-0.4, 0.4) * room,
                    random.uniform(-0.4, 0.4) * d,
                    z,
                    random.uniform(0.8, 1.6),
                )
        else:
            count = max(1, int(d / 2.4))
            for i in range(count):
                y = (i - (count - 1) / 2) * 2.3
                x0, x1 = middle - room * 0.42, middle + room * 0.42
                mesh.face(
                    [(x0, y - 0.9, z + 0.5), (x1, y - 0.9, z + 0.5), (x1, y + 0.9, z + 0.9), (x0, y + 0.9, z + 0.9)],
                    "solar panel",
                )


def shrub(mesh: MeshBuilder, x: float, y: float, z: float, radius: float) -> None:
    """A crown with few faces, for distant views."""
    mesh.prism(circle(x, y, radius, 6), z, z + radius * 0.9, "tree crown")
    top = (x, y, z + radius * 1.7)
    ring = circle(x, y, radius, 6)
    for a, b in zip(ring, ring[1:] + ring[:1]):
        mesh.face([(*a, z + radius * 0.9), (*b, z + radius * 0.9), top], "tree crown")


def balconies(mesh: MeshBuilder, plan: Plan, z0: float, z1: float, storey: float, reach: float, color: Color) -> None:
    """A slab with an upstand around the plan at every storey."""
    outline = grown(plan, reach)
    count = int((z1 - z0) / storey)
    for i in range(1, count + 1):
        z = z0 + i * storey
        band(mesh, outline, z - 0.25, z + 0.1, color)
        mesh.ribbon(outline, z + 0.1, z + 0.95, "balcony glass")


def pitched_roof(
    mesh: MeshBuilder,
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    z: float,
    rise: float,
    color: Color,
    hip: float = 0.0,
    eaves: float = 0.5,
) -> None:
    """A tiled roof with its ridge along x. `hip` shortens the ridge at both ends, and 0 makes gables."""
    drop = eaves * rise / ((y1 - y0) / 2)
    a0, a1, b0, b1, low = x0 - (eaves if hip else 0), x1 + (eaves if hip else 0), y0 - eaves, y1 + eaves, z - drop
    middle, top = (y0 + y1) / 2, z + rise
    r0, r1 = (x0 + hip, middle, top), (x1 - hip, middle, top)
    slope = dist((middle, top), (b0, low))

    def plane(points: list, width: float) -> None:
        uv = [(0, 0), (width, 0), (width, slope), (0, slope)][: len(points)]
        mesh.face(points, "tiles", color, uv)

    plane([(a0, b0, low), (a1, b0, low), r1, r0], a1 - a0)
    plane([(a1, b1, low), (a0, b1, low), r0, r1], a1 - a0)
    if hip:
        plane([(a1, b0, low), (a1, b1, low), r1], b1 - b0)
        plane([(a0, b1, low), (a0, b0, low), r0], b1 - b0)
    else:
        for x, peak in ((x0, r0), (x1, r1)):
            mesh.face([(x, y0, z), (x, y1, z), peak], "render", (0.5, 0.47, 0.42))
