"""Low and middle buildings: shophouse rows, houses, slabs of flats, street blocks, schools."""

from random import Random

from city.building import CONCRETE, GARDEN, METAL, balconies, band, flat_roof, pitched_roof, roof_plant, shrub, walls
from city.plans import Plan, angle_shaped, crescent, grown, rect
from mesh import Color, MeshBuilder

PLASTER: tuple[Color, ...] = (
    (0.66, 0.60, 0.50),
    (0.62, 0.63, 0.60),
    (0.60, 0.46, 0.32),
    (0.42, 0.53, 0.52),
    (0.67, 0.53, 0.42),
    (0.47, 0.55, 0.44),
    (0.68, 0.65, 0.56),
    (0.56, 0.40, 0.34),
    (0.46, 0.51, 0.60),
)
TERRACOTTA: tuple[Color, ...] = (
    (0.36, 0.15, 0.085),
    (0.32, 0.135, 0.085),
    (0.40, 0.19, 0.105),
    (0.28, 0.13, 0.09),
    (0.33, 0.17, 0.11),
)
PALE: tuple[Color, ...] = (
    (0.62, 0.60, 0.56),
    (0.68, 0.64, 0.57),
    (0.52, 0.54, 0.56),
    (0.60, 0.55, 0.48),
    (0.70, 0.69, 0.66),
)
ACCENT: tuple[Color, ...] = (
    (0.50, 0.26, 0.17),
    (0.22, 0.36, 0.42),
    (0.55, 0.42, 0.20),
    (0.30, 0.40, 0.30),
    (0.42, 0.44, 0.50),
)


def shophouse_row(mesh: MeshBuilder, random: Random) -> None:
    """Seven to ten narrow houses between party walls, shops below, tiled roofs above, about 46 m by 17 m."""
    count = random.randint(7, 9)
    width = 46 / count
    storeys = random.choice((2, 2, 3))
    for i in range(count):
        x0, x1 = -23 + i * width, -23 + (i + 1) * width
        height = 3.6 + 3.4 * (storeys if random.random() < 0.8 else 5 - storeys) - 3.4 + random.uniform(-0.2, 0.5)
        plaster, tile = random.choice(PLASTER), random.choice(TERRACOTTA)
        front = [(x0, -8.0), (x1, -8.0), (x1, 3.0), (x0, 3.0)]
        walls(mesh, front, 0, height, "shophouse", plaster)
        # The shop front lies under a five-foot way with a lean-to roof.
        mesh.face(
            [(x0, -8.06, 0), (x1, -8.06, 0), (x1, -8.06, 3.1), (x0, -8.06, 3.1)],
            "shopfront",
            plaster,
            [(i * 3.0, 0), (i * 3.0 + width, 0), (i * 3.0 + width, 3.1), (i * 3.0, 3.1)],
        )
        mesh.face(
            [(x0, -9.6, 3.2), (x1, -9.6, 3.2), (x1, -8.0, 3.9), (x0, -8.0, 3.9)],
            "tiles",
            tile,
            [(0, 0), (width, 0), (width, 2), (0, 2)],
        )
        rise = random.uniform(2.6, 3.2)
        pitched_roof(mesh, x0 + 0.12, -8.0, x1 - 0.12, 3.0, height, rise, tile)
        if random.random() < 0.35:
            pitched_roof(mesh, x0 + width * 0.3, -3.6, x1 - width * 0.3, -1.4, height + rise, 0.8, tile)
        rear = height - random.uniform(1.5, 3.6)
        walls(mesh, [(x0, 3.0), (x1, 3.0), (x1, 9.0), (x0, 9.0)], 0, rear, "shophouse", plaster)
        if random.random() < 0.5:
            mesh.horizontal([(x0, 3.0), (x1, 3.0), (x1, 9.0), (x0, 9.0)], rear, "flat roof", (0.30, 0.28, 0.25))
            band(mesh, rect(1.4, 1.2, (x0 + x1) / 2, random.uniform(4.5, 8)), rear, rear + 1.4, METAL)
        else:
            mesh.face(
                [(x0, 9.4, rear - 0.1), (x0, 3.0, rear + 1.4), (x1, 3.0, rear + 1.4), (x1, 9.4, rear - 0.1)],
                "tiles",
                tile,
                [(0, 0), (0, 6), (width, 6), (width, 0)],
            )
        # Party walls stand above the tiles and follow the slope.
        mesh.face(
            [(x0, -8.2, height - 0.2), (x0, -2.5, height + rise + 0.4), (x0, 3.0, height - 0.2)],
            "render",
            (0.62, 0.59, 0.53),
        )
        mesh.face(
            [(x0 + 0.3, -8.2, height - 0.2), (x0 + 0.3, -2.5, height + rise + 0.4), (x0 + 0.3, 3.0, height - 0.2)],
            "render",
            (0.62, 0.59, 0.53),
        )
        mesh.face(
            [
                (x0, -8.2, height - 0.2),
                (x0 + 0.3, -8.2, height - 0.2),
                (x0 + 0.3, -2.5, height + rise + 0.4),
                (x0, -2.5, height + rise + 0.4),
            ],
            "render",
            (0.62, 0.59, 0.53),
        )


def house(mesh: MeshBuilder, random: Random) -> None:
    """A detached house with a hipped roof and a porch, about 14 m by 11 m."""
    w, d, height = random.uniform(11, 14), random.uniform(8, 10), random.choice((6.4, 6.8, 9.6))
    plaster, tile = random.choice(PALE), random.choice(TERRACOTTA + ((0.16, 0.15, 0.15), (0.22, 0.19, 0.17)))
    walls(mesh, rect(w, d), 0, height, "punched", plaster)
    pitched_roof(mesh, -w / 2, -d / 2, w / 2, d / 2, height, random.uniform(2.2, 3.0), tile, hip=d * 0.45, eaves=0.9)
    wing_x = random.choice((-1, 1)) * w * 0.28
    walls(mesh, rect(w * 0.42, 5, wing_x, -d / 2 - 2.5), 0, height - 3, "punched", plaster)
    pitched_roof(
        mesh, wing_x - w * 0.21, -d / 2 - 5, wing_x + w * 0.21, -d / 2, height - 3, 1.4, tile, hip=1.8, eaves=0.6
    )
    mesh.face(
        [
            (-wing_x - 1.5, -d / 2 - 0.05, 0.2),
            (-wing_x + 1.5, -d / 2 - 0.05, 0.2),
            (-wing_x + 1.5, -d / 2 - 0.05, 2.4),
            (-wing_x - 1.5, -d / 2 - 0.05, 2.4),
        ],
        "glowing",
        (0.42, 0.25, 0.11),
    )


def slab(mesh: MeshBuilder, random: Random, length: float, storeys: int, bulge: float = 0.0) -> None:
    """Public flats: a long slab with access galleries at the back, coloured gables and lift towers, 12 m deep."""
    wall, accent = random.choice(PALE), random.choice(ACCENT)
    top = 3.6 + storeys * 2.9
    plan = crescent(length, 11.5, bulge) if bulge else rect(length, 11.5)
    walls(mesh, plan, 0, 3.4, "shopfront", CONCRETE)
    walls(mesh, plan, 3.4, top, "flats", wall)
    flat_roof(mesh, plan, top, wall=wall)
    if not bulge:
        # Galleries run along the back behind a parapet at each storey.
        mesh.face(
            [(length / 2, 5.85, 3.4), (-length / 2, 5.85, 3.4), (-length / 2, 5.85, top), (length / 2, 5.85, top)],
            "gallery",
            wall,
            [(0, 3.4), (length, 3.4), (length, top), (0, top)],
        )
        for i in range(storeys):
            z = 3.4 + i * 2.9
            band(mesh, rect(length - 1, 1.5, 0, 6.5), z - 0.15, z + 0.95, wall)
        for side in (-1, 1):
            x = side * (length / 2 + 0.08)
            corners = [(x, -3.6), (x, 3.6)] if side > 0 else [(x, 3.6), (x, -3.6)]
            mesh.face(
                [(*corners[0], 3.4), (*corners[1], 3.4), (*corners[1], top + 0.6), (*corners[0], top + 0.6)],
                "render",
                accent,
            )
    for i in range(max(2, int(length / 34))):
        x = (i + 0.5) / max(2, int(length / 34)) * length - length / 2
        shift = -bulge * (1 - (2 * x / length) ** 2)
        band(mesh, rect(7, 6, x, 7.2 + shift), 0, top + 4.2, accent if random.random() < 0.5 else wall)
        band(mesh, rect(9, 6, x + 10, shift), top, top + 2.6, CONCRETE)
    for i in range(int(length / 9)):
        x = i * 9 - length / 2 + 5
        shift = -bulge * (1 - (2 * x / length) ** 2)
        if random.random() < 0.6:
            mesh.face(
                [
                    (x - 3.6, shift - 4.2, top + 0.9),
                    (x + 3.6, shift - 4.2, top + 0.9),
                    (x + 3.6, shift - 0.8, top + 1.5),
                    (x - 3.6, shift - 0.8, top + 1.5),
                ],
                "solar panel",
            )


def street_block(mesh: MeshBuilder, random: Random, plan: Plan, storeys: int, court: Plan | None = None) -> None:
    """Offices or shops on a full plot, with a set-back top storey and a used roof."""
    facade, wall = random.choice(("ribbon", "punched", "ribs", "curtain", "punched")), random.choice(PALE + PLASTER[:3])
    top = 4.4 + storeys * 3.6
    walls(mesh, plan, 0, 4.2, "shopfront", CONCRETE)
    band(mesh, grown(plan, 0.9), 4.1, 4.6, wall)
    walls(mesh, plan, 4.6, top, facade, wall)
    flat_roof(mesh, plan, top, wall=wall, color=random.choice(((0.20, 0.20, 0.20), (0.26, 0.24, 0.22), GARDEN)))
    if court:
        roof_plant(mesh, random, court, top)
        return
    inner = grown(plan, -random.uniform(3, 5))
    if random.random() < 0.6:
        walls(mesh, inner, top, top + 3.8, random.choice(("curtain", "ribbon")), wall)
        band(mesh, grown(inner, 1.0), top + 3.7, top + 4.1, wall)
        roof_plant(mesh, random, inner, top + 4.1)
    else:
        roof_plant(mesh, random, plan, top)


def school(mesh: MeshBuilder, random: Random) -> None:
    """Two wings of classrooms and a hall with a curved roof, about 80 m by 60 m."""
    wall = random.choice(PALE)
    plan = angle_shaped(80, 56, 11)
    walls(mesh, plan, 0, 15, "gallery", wall)
    balconies(mesh, plan, 0.4, 14.5, 3.6, 0.8, wall)
    flat_roof(mesh, plan, 15, wall=wall)
    walls(mesh, rect(34, 22, 14, 8), 0, 9, "ribbon", wall)
    pitched_roof(mesh, -3, -3, 31, 19, 9, 3.2, (0.30, 0.33, 0.35), eaves=1.5)
    for _ in range(8):
        shrub(mesh, random.uniform(-20, 35), random.uniform(-14, 26), 0, random.uniform(1.5, 2.5))
