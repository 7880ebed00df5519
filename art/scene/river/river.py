"""The river, its quays and the promenade with its lamps and trees."""

from dataclasses import dataclass
from random import Random

from layout import PROMENADE_WIDTH, WATER_LEVEL
from mesh import MeshBuilder, Point2, circle, rectangle
from river import boats
from river.course import north_bank, south_bank, stations
from stage import Scene

QUAY_END = 1800
# Ends of the site in x. The road along the river and the trees behind it stop here.
SITE_WEST, SITE_EAST = -170, 128
STEPS_WEST, STEPS_EAST = -30, 50
LED: tuple[float, float, float] = (2.6, 1.45, 0.60)


@dataclass(frozen=True)
class Bank:
    """One side of the river. `at` returns the point at a distance from the water, positive inland."""

    name: str
    north: bool

    def at(self, x: float, inland: float) -> Point2:
        return (x, north_bank(x) + inland) if self.north else (x, south_bank(x) - inland)


NORTH, SOUTH = Bank("north", True), Bank("south", False)


def build(scene: Scene) -> None:
    add_water(scene)
    for bank in banks(scene):
        add_quay(scene, bank)
        add_promenade_lamps(scene, bank)
        plant_promenade(scene, bank)
    add_steps(scene)
    add_river_road(scene)
    boats.build(scene)


def banks(scene: Scene) -> tuple[Bank, ...]:
    return (NORTH,) if scene.view.over_water else (NORTH, SOUTH)


def add_water(scene: Scene) -> None:
    water = scene.mesh("river")
    xs = stations(60.0)
    for a, b in zip(xs, xs[1:]):
        south = [(-1200.0 if scene.view.over_water else south_bank(x)) - 2 for x in (a, b)]
        water.horizontal(
            [(a, south[0]), (b, south[1]), (b, north_bank(b) + 2), (a, north_bank(a) + 2)], WATER_LEVEL, "water"
        )
    water.build()


def strip(
    mesh: MeshBuilder,
    bank: Bank,
    xs: list[float],
    near: float,
    far: float,
    z: float,
    material: str,
    color=(0.0, 0.0, 0.0),
) -> None:
    """A level band along the bank between two distances from the water."""
    for a, b in zip(xs, xs[1:]):
        mesh.horizontal(
            [bank.at(a, near), bank.at(b, near), bank.at(b, far), bank.at(a, far)],
            z,
            material,
            color,
            down=not bank.north,
        )


def wall(
    mesh: MeshBuilder,
    bank: Bank,
    xs: list[float],
    inland: float,
    z0: float,
    z1: float,
    material: str,
    color=(0.0, 0.0, 0.0),
) -> None:
    """An upright band along the bank."""
    line = [bank.at(x, inland) for x in xs]
    mesh.ribbon(line if bank.north else line[::-1], z0, z1, material, closed=False, color=color)


def along(start: float, end: float, step: float) -> list[float]:
    count = max(1, round((end - start) / step))
    return [start + (end - start) * i / count for i in range(count + 1)]


def add_quay(scene: Scene, bank: Bank) -> None:
    """Wall, coping with a line of light below it, paving, planting strip and railing."""
    mesh = scene.mesh(f"{bank.name} quay")
    far = [x for x in stations(60.0)]
    wall(mesh, bank, far, 0.0, WATER_LEVEL - 1, 0.0, "quay")
    xs = along(-QUAY_END, QUAY_END, 20)
    wall(mesh, bank, xs, -0.12, -0.05, 0.32, "stone")
    strip(mesh, bank, xs, -0.12, 0.45, 0.32, "stone")
    wall(mesh, bank, xs, 0.45, 0.0, 0.32, "slab")
    wall(mesh, bank, xs, -0.03, -0.36, -0.18, "glowing", LED)
    strip(mesh, bank, xs, 0.45, PROMENADE_WIDTH, 0.12, "paving")
    wall(mesh, bank, xs, PROMENADE_WIDTH, -0.02, 0.12, "stone")
    strip(mesh, bank, xs, PROMENADE_WIDTH, PROMENADE_WIDTH + 3.6, 0.06, "lawn")
    posts = along(-700, 700, 2.5)
    for x in posts:
        px, py = bank.at(x, 0.2)
        mesh.box(px - 0.03, py - 0.03, 0.32, px + 0.03, py + 0.03, 1.18, "dark")
    for z, height in ((1.15, 0.06), (0.85, 0.02), (0.58, 0.02)):
        wall(mesh, bank, posts[::4], 0.2, z, z + height, "bronze" if height > 0.05 else "dark")
    if bank.north:
        mesh.horizontal(rectangle(SITE_WEST + 4, -53, 215, 150), 0.02, "paving")
    mesh.build()


def add_promenade_lamps(scene: Scene, bank: Bank) -> None:
    mesh = scene.mesh(f"{bank.name} promenade lamps")
    for x in along(-480, 520, 20):
        px, py = bank.at(x, 5.6)
        mesh.tube((px, py, 0.1), (px, py, 5.3), 0.07, 0.045, "dark", 8)
        mesh.prism(circle(px, py, 0.30, 10), 5.30, 5.42, "dark", "dark")
        mesh.prism(circle(px, py, 0.28, 10), 4.95, 5.30, "glowing", None, "glowing", (11.0, 6.4, 2.9))
        scene.lamp(px, py, 4.7, 1300)
        # Low lights in the planting light the crowns from below.
        ux, uy = bank.at(x + 10, PROMENADE_WIDTH + 1.0)
        scene.lamp(ux, uy - 1.4 if bank.north else uy + 1.4, 0.9, 900, (1.0, 0.80, 0.52))
    mesh.build()


def plant_promenade(scene: Scene, bank: Bank) -> None:
    random = scene.random(f"{bank.name} promenade")
    for x in along(-900, 900, 7.5):
        x += random.uniform(-2.2, 2.2)
        in_front = bank.north and -62 < x < 98
        if in_front:
            # Palms, because the podium is visible between their stems.
            if random.random() < 0.72:
                scene.planting.add(
                    *bank.at(x, PROMENADE_WIDTH + random.uniform(0.6, 2.6)), 0.05, "palm", random.uniform(0.72, 1.0)
                )
            if random.random() < 0.30:
                scene.planting.add(
                    *bank.at(x, PROMENADE_WIDTH + 1.8),
                    0.05,
                    random.choice(("frangipani", "small")),
                    random.uniform(0.9, 1.3),
                )
        else:
            kind = random.choice(("rain", "rain", "rain", "palm", "round", "tall"))
            scene.planting.add(
                *bank.at(x, PROMENADE_WIDTH + random.uniform(0.4, 2.6)), 0.05, kind, random.uniform(0.75, 1.1)
            )
        if abs(x) < 420:
            add_undergrowth(scene, random, bank, x)
        if bank.north and not SITE_WEST - 4 < x < SITE_EAST + 6:
            for _ in range(2):
                spot = bank.at(x + random.uniform(-3, 3), random.uniform(29, 44))
                scene.planting.add(
                    *spot, 0.0, random.choice(("rain", "round", "tall", "rain")), random.uniform(0.8, 1.2)
                )


def add_undergrowth(scene: Scene, random: Random, bank: Bank, x: float) -> None:
    for _ in range(3):
        spot = bank.at(x + random.uniform(-3.5, 3.5), PROMENADE_WIDTH + random.uniform(0.5, 3.1))
        scene.planting.add(*spot, 0.05, random.choice(("bush", "bush", "grass")), random.uniform(0.5, 0.9))


def add_steps(scene: Scene) -> None:
    """Broad steps from the promenade to the water, a line of light under each tread."""
    mesh = scene.mesh("river steps")
    for k in range(5):
        near, far = NORTH.at(0, 0)[1] - 1.3 * (k + 1), NORTH.at(0, 0)[1] - 1.3 * k
        top = -0.42 * k - 0.12
        mesh.box(STEPS_WEST, near, WATER_LEVEL - 0.5, STEPS_EAST, far, top, "quay")
        mesh.ribbon(
            [(STEPS_WEST, near - 0.01), (STEPS_EAST, near - 0.01)],
            top - 0.14,
            top - 0.06,
            "glowing",
            closed=False,
            color=(1.7, 0.95, 0.40),
        )
    mesh.build()


def add_river_road(scene: Scene) -> None:
    """The road behind the promenade, with the light trails of a long exposure."""
    mesh = scene.mesh("river road")
    for start, end in ((-QUAY_END, SITE_WEST), (SITE_EAST, QUAY_END)):
        xs = along(start, end, 20)
        strip(mesh, NORTH, xs, 13.5, 25.5, 0.03, "painted", (0.055, 0.056, 0.060))
        for inland, color in (
            (15.6, (1.3, 0.95, 0.60)),
            (17.0, (0.9, 0.68, 0.45)),
            (21.4, (1.1, 0.10, 0.045)),
            (22.8, (0.8, 0.07, 0.03)),
        ):
            wall(mesh, NORTH, xs, inland, 0.60, 0.70, "glowing", color)
    mesh.build()
