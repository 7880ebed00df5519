"""The arrival court west of the podium: porte-cochere, drive around a still basin, planting, lights, people."""

from math import cos, pi, sin

from mesh import MeshBuilder, Placement, circle, rectangle, rounded_rectangle
from people import STANDING, WAITING, WALKING, add_people
from podium.cars import SALOON, add_car
from podium.outlines import add_band, matching_outlines
from stage import Scene

GROUND = 0.08
# The canopy extends from the podium's first slab over the drive.
CANOPY = Placement(-70.5, 5)
CANOPY_HALF = (13.0, 15.0, 9.0)
SOFFIT, CANOPY_TOP = 5.32, 5.92
BASIN = Placement(-90, -15)
BASIN_HALF = (7.0, 16.0, 4.0)
DRIVE = Placement(-90, -8)
DRIVE_OUTER = (16.0, 33.0, 16.0)
DRIVE_INNER = (8.4, 25.4, 8.4)


def add_ground(mesh: MeshBuilder) -> None:
    mesh.prism(rectangle(-126, -52, -56, 54), -0.5, GROUND, "granite", "court paving")
    outer = DRIVE.all(rounded_rectangle(*DRIVE_OUTER, 1.0))
    mesh.prism(outer, 0.0, GROUND + 0.006, "granite", "setts")
    kerb_out, kerb_in = (DRIVE.all(line) for line in matching_outlines(DRIVE_OUTER, (0.0, 0.45)))
    add_band(mesh, kerb_out, kerb_in, GROUND + 0.010, "granite")
    island = DRIVE.all(rounded_rectangle(*DRIVE_INNER, 1.0))
    mesh.prism(island, 0.0, GROUND + 0.13, "granite", "court paving")
    # The drive meets the riverside road and the walk to the hall crosses it, both in granite.
    mesh.prism(rectangle(-80, -52, -73, -36), 0.0, GROUND + 0.004, "granite", "setts")
    mesh.prism(rectangle(-82, 1, -74, 9), 0.0, GROUND + 0.016, "granite", "granite")


def add_basin(mesh: MeshBuilder) -> None:
    """A basin filled almost to its broad rim, which serves as a bench and has a line of light beneath."""
    rim, lip, water = (BASIN.all(line) for line in matching_outlines(BASIN_HALF, (0.0, 0.75, 0.78), 0.8))
    base = GROUND + 0.13
    mesh.ribbon(
        BASIN.all(matching_outlines(BASIN_HALF, (0.12,), 0.8)[0]), base, base + 0.12, "glowing", color=(1.5, 0.92, 0.46)
    )
    mesh.ribbon(rim, base + 0.12, base + 0.40, "granite")
    add_band(mesh, rim, lip, base + 0.40, "granite")
    mesh.ribbon(lip[::-1], base + 0.2, base + 0.40, "granite")
    mesh.face([(x, y, base + 0.365) for x, y in water], "mirror water")
    add_ring_sculpture(mesh, *BASIN(0.6, 6.8), base + 0.36)


def add_ring_sculpture(mesh: MeshBuilder, x: float, y: float, z: float) -> None:
    """Two leaning bronze rings in the water."""
    for radius, lean, turn, width in ((2.5, 0.16, 0.5, 0.34), (1.7, -0.22, 1.25, 0.26)):
        across = (cos(turn), sin(turn))
        forward = (-sin(turn), cos(turn))
        rows = []
        for i in range(64):
            a = 2 * pi * i / 64
            ring = []
            for r, w in ((radius, -width), (radius, width), (radius - 0.13, width), (radius - 0.13, -width)):
                up = radius + r * sin(a)
                depth = w + lean * up
                ring.append(
                    (
                        x + across[0] * r * cos(a) + forward[0] * depth,
                        y + across[1] * r * cos(a) + forward[1] * depth,
                        z + up - 0.1,
                    )
                )
            rows.append(ring)
        for a, b in zip(rows, rows[1:] + rows[:1]):
            for k in range(4):
                n = (k + 1) % 4
                mesh.face([a[k], b[k], b[n], a[n]], "bronze")


def add_canopy(scene: Scene, mesh: MeshBuilder) -> None:
    """A thin roof on slender columns, with two rings of light in its timber soffit."""
    edge, under, ring_a, ring_b, ring_c, ring_d = (
        CANOPY.all(line) for line in matching_outlines(CANOPY_HALF, (0.0, 0.9, 2.2, 2.36, 5.0, 5.16))
    )
    mesh.ribbon(edge, SOFFIT + 0.16, CANOPY_TOP, "slab")
    for i in range(len(edge)):
        n = (i + 1) % len(edge)
        mesh.face(
            [(*under[i], SOFFIT), (*under[n], SOFFIT), (*edge[n], SOFFIT + 0.16), (*edge[i], SOFFIT + 0.16)], "bronze"
        )
    mesh.horizontal(edge, CANOPY_TOP, "travertine")
    mesh.horizontal(under, SOFFIT, "lit slats", (1.35, 0.98, 0.72), down=True)
    for outer, inner in ((ring_a, ring_b), (ring_c, ring_d)):
        add_band(mesh, inner, outer, SOFFIT - 0.015, "glowing", (3.2, 2.15, 1.2))
    for x in (-10.6, 4.6):
        for y in (-8.5, 8.5):
            px, py = CANOPY(x, y)
            mesh.tube((px, py, GROUND), (px, py, SOFFIT), 0.21, 0.15, "bronze", 16)
            mesh.prism(circle(px, py, 0.42, 20), GROUND, GROUND + 0.18, "granite", "granite")
    for x in (-9, -3, 4):
        for y in (-9, 0, 9):
            scene.lamp(*CANOPY(x, y), SOFFIT - 0.6, 420, radius=0.5)


def add_bed(
    scene: Scene, mesh: MeshBuilder, half: tuple[float, float, float], place: Placement, name: str, shrubs: float
) -> None:
    """A raised bed with a stone kerb, filled with shrubs and grasses."""
    random = scene.random(name)
    outer, inner = (place.all(line) for line in matching_outlines(half, (0.0, 0.28), 0.8))
    top = GROUND + 0.42
    mesh.ribbon(outer, GROUND, top, "granite")
    add_band(mesh, outer, inner, top, "granite")
    mesh.horizontal(inner, top - 0.06, "lawn")
    for _ in range(round(half[0] * half[1] * 4 * shrubs)):
        x, y = random.uniform(-half[0] + 0.7, half[0] - 0.7), random.uniform(-half[1] + 0.7, half[1] - 0.7)
        kind = random.choice(("bush", "bush", "grass", "grass", "grass"))
        scene.planting.add(*place(x, y), top - 0.08, kind, random.uniform(0.4, 0.72))


def add_planting(scene: Scene, mesh: MeshBuilder) -> None:
    random = scene.random("arrival planting")
    add_bed(scene, mesh, (4.2, 8.5, 3.0), Placement(-66, -27), "bed by the shops", 0.5)
    add_bed(scene, mesh, (5.5, 4.6, 3.0), Placement(-90, 8.6), "bed on the island", 0.5)
    add_bed(scene, mesh, (4.0, 34, 2.5), Placement(-113, -4), "western bed", 0.35)
    add_bed(scene, mesh, (22, 3.5, 2.5), Placement(-88, 42), "northern bed", 0.4)
    for x, y, kind, scale in (
        (-66.5, -21.5, "frangipani", 1.0),
        (-64.5, -31.0, "palm", 0.95),
        (-67.5, -26.5, "palm", 0.8),
        (-92, 9.0, "palm", 0.9),
        (-88.5, 7.0, "palm", 0.75),
        (-90.5, 11.0, "palm", 1.05),
    ):
        scene.planting.add(x, y, GROUND + 0.35, kind, scale)
    for y in range(-30, 34, 8):
        kind = random.choice(("rain", "round"))
        scene.planting.add(
            -113 + random.uniform(-1, 1), y + random.uniform(-1, 1), GROUND + 0.3, kind, random.uniform(0.75, 1.0)
        )
    for x in range(-108, -64, 7):
        kind = random.choice(("round", "tall", "palm"))
        scene.planting.add(x, 42 + random.uniform(-1, 1), GROUND + 0.3, kind, random.uniform(0.8, 1.05))
    for x in range(-150, -40, 9):
        for y in (64, 78):
            kind = random.choice(("rain", "round", "tall"))
            scene.planting.add(x + random.uniform(-2, 2), y + random.uniform(-3, 3), 0, kind, random.uniform(0.9, 1.25))
    for x, y in ((-66.5, -24), (-64.8, -29.5), (-90, 9), (-113, 0), (-113, 16), (-100, 40), (-84, 40), (-72, 40)):
        scene.lamp(x, y, GROUND + 0.9, 70, radius=0.15)


BOLLARDS = (
    (-73.2, -30),
    (-73.2, -24),
    (-73.2, -18),
    (-73.2, -12),
    (-73.2, 24),
    (-73.2, -36),
    (-107, -28),
    (-107, -16),
    (-107, -4),
    (-107, 8),
    (-99.5, 30),
    (-90, 30),
)


def add_bollards(scene: Scene, mesh: MeshBuilder) -> None:
    for x, y in BOLLARDS:
        mesh.prism(circle(x, y, 0.075, 10), GROUND, GROUND + 0.82, "dark", "dark")
        mesh.prism(circle(x, y, 0.078, 10), GROUND + 0.66, GROUND + 0.76, "glowing", color=(3.4, 2.2, 1.15))
        scene.lamp(x, y, GROUND + 0.9, 22, radius=0.08)


PEOPLE = (
    (-72.6, 1.5, GROUND, 265, STANDING),
    (-71.4, 9.6, GROUND, 230, WAITING),
    (-64.6, 4.0, GROUND, 90, WALKING),
    (-65.2, 5.3, GROUND, 95, WALKING),
    (-71.0, -13.5, GROUND, 150, WALKING),
    (-70.2, -14.2, GROUND, 155, WALKING),
    (-60.2, -17.0, GROUND, 90, STANDING),
    (-61.0, -15.4, GROUND, 120, WAITING),
    (-72.3, -34.0, GROUND, 60, WALKING),
    (-84.4, 20.0, GROUND, 200, WALKING),
)


def build(scene: Scene) -> None:
    mesh = scene.mesh("arrival court")
    add_ground(mesh)
    add_basin(mesh)
    add_canopy(scene, mesh)
    add_planting(scene, mesh)
    add_bollards(scene, mesh)
    mesh.build()
    add_people(scene, "people at the court", list(PEOPLE))
    scene.lamp(*BASIN(0.6, 3.4), 0.9, 120, radius=0.2)
    add_car(scene, SALOON, (-78.2, -14.0, GROUND + 0.006), 0, (0.035, 0.040, 0.050))
    add_car(scene, SALOON, (-78.8, 16.5, GROUND + 0.006), 0, (0.16, 0.15, 0.14))
