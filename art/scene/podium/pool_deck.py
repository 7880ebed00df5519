"""The deck on the podium: a 50 m pool, timber and travertine, beds, loungers, parasols, cabanas, a glass balustrade."""

from layout import PODIUM_HEIGHT
from mesh import MeshBuilder, offset, outward_normals, rectangle, rounded_rectangle
from people import RECLINING, SEATED, STANDING, SWIMMING, WAITING, WALKING, add_people, add_person, swimwear
from podium import furniture
from podium.podium import PLACE, STOREYS
from stage import Scene

Z = PODIUM_HEIGHT
DECK = Z + 0.04
POOL = (-44.0, -26.0, 6.0, -17.0)
POOL_DEPTH = 1.35
WATER = DECK - 0.05
COPING = 0.45
# The sunbathing terrace lies between the pool and the beds at the foot of the towers.
TERRACE = (-47.0, -16.55, 9.0, -8.5)
RIVERSIDE = (-47.0, -30.6, 9.0, -26.45)


def add_pool(mesh: MeshBuilder) -> None:
    """Basin, coping, lane lines, a broad step for lying in the water, lamps in the walls."""
    x0, y0, x1, y1 = POOL
    bottom = WATER - POOL_DEPTH
    corners = rectangle(*POOL)
    mesh.horizontal(corners, bottom, "pool tiles", (0.02, 0.34, 0.42))
    mesh.ribbon(corners[::-1], bottom, WATER - 0.10, "pool tiles", color=(0.03, 0.42, 0.50))
    mesh.ribbon(corners[::-1], WATER - 0.10, DECK, "granite")
    mesh.horizontal(corners, WATER, "clear water")
    for k in range(1, 4):
        y = y0 + (y1 - y0) * k / 4
        mesh.horizontal(
            rectangle(x0 + 2.0, y - 0.12, x1 - 2.0, y + 0.12), bottom + 0.01, "pool tiles", (0.0, 0.02, 0.05)
        )
    shelf = rectangle(x1 - 3.2, y0, x1, y1)
    mesh.prism(shelf, bottom, WATER - 0.28, "pool tiles", "pool tiles", color=(0.05, 0.50, 0.56))
    outer = rectangle(x0 - COPING, y0 - COPING, x1 + COPING, y1 + COPING)
    for a, b, c, d in zip(outer, outer[1:] + outer[:1], corners[1:] + corners[:1], corners):
        mesh.face([(*a, DECK + 0.005), (*b, DECK + 0.005), (*c, DECK + 0.005), (*d, DECK + 0.005)], "granite")
    for x in range(int(x0) + 2, int(x1), 4):
        for y, side in ((y0, 1), (y1, -1)):
            mesh.box(
                x - 0.16,
                y + side * 0.01 - 0.008,
                WATER - 0.62,
                x + 0.16,
                y + side * 0.01 + 0.008,
                WATER - 0.42,
                "glowing",
                (2.2, 3.4, 3.4),
            )


def add_paving(mesh: MeshBuilder) -> None:
    top = STOREYS[-1]
    outline = PLACE.all(rounded_rectangle(top.half_width + 2.55, top.half_depth + 2.55, top.radius, 2.0))
    mesh.ribbon(outline, Z - 0.02, Z + 0.012, "granite")
    x0, y0, x1, y1 = POOL
    # The paving surrounds the pool, which is below it.
    patches = (
        rectangle(-52, y1 + COPING, 88, 45),
        rectangle(-52, -36, 88, y0 - COPING),
        rectangle(-52, y0 - COPING, x0 - COPING, y1 + COPING),
        rectangle(x1 + COPING, y0 - COPING, 88, y1 + COPING),
    )
    for patch in patches:
        clipped = clip(patch, outline)
        if len(clipped) > 2:
            mesh.horizontal(clipped, Z + 0.012, "travertine")
    for part in (TERRACE, RIVERSIDE, (-47.0, y0 - COPING, x0 - COPING, y1 + COPING)):
        mesh.prism(rectangle(*part), Z, DECK, "teak", "deck")
    mesh.prism(rectangle(x1 + COPING, y0 - COPING, 9.0, y1 + COPING), Z, DECK, "teak", "deck across")


def left_of(a: tuple[float, float], b: tuple[float, float], p: tuple[float, float]) -> float:
    """The distance of a point to the left of the line from a to b, times the length of the line."""
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def clip(subject: list[tuple[float, float]], convex: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The part of a polygon inside a convex counter-clockwise outline (Sutherland and Hodgman)."""
    result = subject
    for a, b in zip(convex, convex[1:] + convex[:1]):
        points, result = result, []
        for p, q in zip(points, points[1:] + points[:1]):
            sp, sq = left_of(a, b, p), left_of(a, b, q)
            if sp >= 0:
                result.append(p)
            if (sp >= 0) != (sq >= 0):
                t = sp / (sp - sq)
                result.append((p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t))
        if not result:
            break
    return result


def add_balustrade(mesh: MeshBuilder) -> None:
    """Glass panes with a slim rail around the deck, set back behind the planted edge."""
    top = STOREYS[-1]
    outline = rounded_rectangle(top.half_width + 0.6, top.half_depth + 0.6, top.radius, 1.5)
    line = PLACE.all(outline)
    inner = PLACE.all(offset(outline, outward_normals(outline), -0.05))
    for i in range(len(line)):
        n = (i + 1) % len(line)
        a, b = line[i], line[n]
        # The gap between two panes is about 4 cm, as a share of the length of a pane.
        t = 0.013
        p = (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t)
        q = (b[0] + (a[0] - b[0]) * t, b[1] + (a[1] - b[1]) * t)
        mesh.face([(*p, Z + 0.06), (*q, Z + 0.06), (*q, Z + 1.12), (*p, Z + 1.12)], "rail")
        mesh.prism([a, b, inner[n], inner[i]], Z + 1.12, Z + 1.155, "bronze", "bronze", "bronze")
        mesh.prism([a, b, inner[n], inner[i]], Z, Z + 0.10, "granite", "granite")


def add_bed(
    scene: Scene, mesh: MeshBuilder, x0: float, y0: float, x1: float, y1: float, density: float, light: bool = True
) -> None:
    random = scene.random(f"bed {x0} {y0}")
    mesh.prism(rectangle(x0, y0, x1, y1), Z, Z + 0.46, "granite", "granite")
    mesh.horizontal(rectangle(x0 + 0.2, y0 + 0.2, x1 - 0.2, y1 - 0.2), Z + 0.465, "lawn")
    if light:
        mesh.box(x0 + 0.05, y0 - 0.012, Z + 0.06, x1 - 0.05, y0, Z + 0.10, "glowing", (1.8, 1.1, 0.55))
    for _ in range(round((x1 - x0) * (y1 - y0) * density)):
        x, y = random.uniform(x0 + 0.5, x1 - 0.5), random.uniform(y0 + 0.5, y1 - 0.5)
        kind = random.choice(("bush", "grass", "grass", "grass"))
        scene.planting.add(x, y, Z + 0.42, kind, random.uniform(0.38, 0.62))


def add_planting(scene: Scene, mesh: MeshBuilder) -> None:
    random = scene.random("deck planting")
    for x0, x1 in ((-47.0, -33.0), (-30.5, -14.5), (-12.0, 4.0)):
        add_bed(scene, mesh, x0, -8.3, x1, -5.0, 1.1)
        x = x0 + 1.8
        while x < x1 - 1:
            kind = random.choice(("frangipani", "palm", "frangipani", "small"))
            scene.planting.add(
                x,
                -6.6 + random.uniform(-0.4, 0.4),
                Z + 0.4,
                kind,
                random.uniform(0.72, 0.95) if kind != "palm" else random.uniform(0.6, 0.8),
            )
            scene.lamp(x + 0.8, -7.6, Z + 0.75, 40, radius=0.1)
            x += random.uniform(4.2, 5.6)
    for x0, x1 in ((-45.0, -24.0), (-21.0, 0.0), (14.0, 40.0), (44.0, 78.0)):
        add_bed(scene, mesh, x0, -33.6, x1, -31.9, 0.9, light=False)
        x = x0 + 2.0
        while x < x1 - 5:
            scene.planting.add(x, -32.8, Z + 0.4, "palm", random.uniform(0.55, 0.75))
            x += random.uniform(6.5, 8.0)
    add_bed(scene, mesh, -49.2, -24.0, -47.6, -10.0, 1.0, light=False)
    for y in (-23, -18.5, -13.5):
        scene.planting.add(-48.4, y, Z + 0.4, "palm", random.uniform(0.6, 0.8))
    for x, y, kind in (
        (-44, 8, "round"),
        (-42, 20, "small"),
        (28, -14, "frangipani"),
        (24, 22, "round"),
        (20, 32, "small"),
        (-8, 38, "round"),
        (60, 32, "round"),
        (76, -20, "frangipani"),
    ):
        scene.planting.add(x, y, Z, kind, 0.7)
    for _ in range(60):
        x, y = random.uniform(-49, 84), random.choice((random.uniform(-34, -33.6), random.uniform(40, 42)))
        scene.planting.add(x, y, Z - 0.1, "bush", random.uniform(0.4, 0.6))


def add_furniture(scene: Scene, mesh: MeshBuilder) -> None:
    for pair, x in enumerate(range(-41, 9, 5)):
        for offset_x in (-1.0, 1.0):
            furniture.add_lounger(mesh, x + offset_x, -12.9, DECK, 180)
        furniture.add_side_table(mesh, x, -12.4, DECK, lantern=pair % 2 == 0)
        if pair % 2 == 1:
            furniture.add_parasol(scene, mesh, x, -11.6, DECK)
    for x in (-37.5, -27.5, -17.5, -7.5):
        furniture.add_cabana(scene, mesh, x, -29.0, DECK)
    for x in (1.0, 3.6):
        furniture.add_lounger(mesh, x, -28.6, DECK, 0)
    furniture.add_side_table(mesh, 2.3, -28.2, DECK, lantern=True)
    for x, y in ((7.3, -17.6), (7.7, -17.2), (7.2, -25.6)):
        furniture.add_lantern(mesh, x, y, DECK)
        scene.lamp(x, y, DECK + 0.5, 6, radius=0.1)


def add_figures(scene: Scene) -> None:
    add_people(
        scene,
        "people on the deck",
        [
            (-9.4, -27.4, DECK, 300, STANDING),
            (-10.3, -27.0, DECK, 120, WAITING),
            (-26.0, -15.2, DECK, 95, WALKING),
            (-26.3, -14.4, DECK, 92, WALKING),
            (-41.0, -27.2, DECK, 250, STANDING),
            (-1.6, -9.6, DECK, 260, WALKING),
            (-19.0, -29.9, DECK + 0.03, 20, SEATED),
        ],
    )
    random = scene.random("swimmers")
    mesh = scene.mesh("swimmers")
    add_person(mesh, (-13.5, -22.6, WATER), 272, SWIMMING, swimwear(random, False))
    for x, woman in ((-12.0, True), (-20.0, False)):
        add_person(mesh, (x, -12.85, DECK - 0.08), 180, RECLINING, swimwear(random, woman))
    for x, heading, woman in ((-21.5, 175, True), (-22.3, 185, False)):
        # Figures that sit on the coping with their feet in the water.
        add_person(mesh, (x, -16.85, DECK - 0.44), heading, SEATED, swimwear(random, woman))
    mesh.build(smooth_angle=70)


def build(scene: Scene) -> None:
    mesh = scene.mesh("pool deck")
    add_paving(mesh)
    add_pool(mesh)
    add_balustrade(mesh)
    add_planting(scene, mesh)
    add_furniture(scene, mesh)
    mesh.build()
    add_figures(scene)
