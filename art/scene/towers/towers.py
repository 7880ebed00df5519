"""The two residential towers with their wavy balconies and sky gardens, and the lower tower of serviced apartments."""

from math import atan2, dist, pi, sin
from random import Random

from layout import EAST_TOWER, SERVICED_TOWER, WEST_TOWER, TowerSite
from mesh import Placement, circle, fin, offset, outward_normals, rectangle, rounded_rectangle
from stage import Scene
from towers.rooms import FloorPlan, furnish_floor, upright

GARDEN_FLOORS = 3
ROOM_DEPTH = 4.6
CORNER_RADIUS = 5.5
BAY = 1.55
INSIDE = 12.0
GARDEN_LIGHT = (1.0, 0.68, 0.40)


def build(scene: Scene) -> None:
    for phase, site in enumerate((EAST_TOWER, WEST_TOWER), start=1):
        # A camera inside a tower does not see that tower.
        if dist(scene.view.location[:2], (site.x, site.y)) > site.half_width + INSIDE:
            ResidentialTower(scene, site, phase).build()
    ServicedTower(scene, SERVICED_TOWER).build()


class Tower:
    """The common parts of all towers: an outline, a frame of slabs and fins, and rooms behind glass."""

    corner_radius: float
    lit_share = 0.62

    def __init__(self, scene: Scene, site: TowerSite):
        self.scene, self.site = scene, site
        self.random: Random = scene.random(f"{site.name} tower")
        self.place = Placement(site.x, site.y, site.angle)
        self.frame = scene.mesh(f"{site.name} tower")
        self.interior = scene.mesh(f"{site.name} tower interior")
        self.outline = rounded_rectangle(site.half_width, site.half_depth, self.corner_radius, BAY)
        self.normals = outward_normals(self.outline)

    def line(self, distance: float) -> list[tuple[float, float]]:
        """The glass line moved outwards, on the site."""
        return self.place.all(offset(self.outline, self.normals, distance))

    def inner(self, inset_x: float, inset_y: float, radius: float = 2.0) -> list[tuple[float, float]]:
        """A smaller rounded rectangle inside the tower, on the site."""
        return self.place.all(
            rounded_rectangle(self.site.half_width - inset_x, self.site.half_depth - inset_y, radius, 3)
        )

    def floor_z(self, floor: int) -> float:
        return self.site.base + floor * self.site.floor_height

    def garden_storey(self, floor: int) -> int | None:
        """The number of the floor in its sky garden, counted from 0, or None for a floor of flats."""
        return next((floor - start for start in self.site.sky_gardens if start <= floor < start + GARDEN_FLOORS), None)

    def add_rooms(self, floor: int) -> None:
        z0, z1 = self.floor_z(floor) + 0.10, self.floor_z(floor + 1) - 0.36
        plan = FloorPlan(self.line(0), self.line(-0.30), self.line(-ROOM_DEPTH))
        furnish_floor(self.interior, self.random, plan, z0, z1, self.lit_share)
        self.frame.ribbon(plan.glass, z0, z1, "glass")
        for i in range(0, len(self.outline), 2):
            self.frame.prism(self.place.all(fin(self.outline[i], self.normals[i], 0.045, 0.11)), z0, z1, "dark")

    def add_garden(self, floor: int, ceiling_inset: float) -> None:
        """An open hall with columns, planting and small lights in its ceiling, lit by lamps between the plants."""
        z0, z1 = self.floor_z(floor), self.floor_z(floor + GARDEN_FLOORS) - 0.42
        self.frame.prism(self.inner(8, 7), z0, z1, "stone")
        ceiling = self.inner(ceiling_inset, ceiling_inset, 4.0)
        self.frame.horizontal(ceiling, z1 - 0.02, "timber", down=True)
        a, b = self.site.half_width, self.site.half_depth
        for x in range(-int(a) + 3, int(a) - 1, 3):
            for y in (-b + 1.6, -b + 4.6, b - 4.6, b - 1.6):
                downlight = [self.place(x + dx, y + dy) for dx, dy in rectangle(-0.16, -0.16, 0.16, 0.16)]
                self.interior.horizontal(downlight, z1 - 0.04, "glowing", (3.4, 2.2, 1.2), down=True)
        for i in range(0, len(self.outline), 9):
            column = offset([self.outline[i]], [self.normals[i]], -1.0)[0]
            self.frame.prism(self.place.all(circle(*column, 0.38, 12)), z0, z1, "slab")
        self.plant_garden(z0 + 0.16)
        for x in (-0.72, -0.24, 0.24, 0.72):
            for y in (-1, 1):
                self.scene.lamp(*self.place(x * a, y * (b - 3.4)), z0 + 6.4, 330, GARDEN_LIGHT, 0.8)

    def plant_garden(self, z: float) -> None:
        for i in range(len(self.outline)):
            spot = offset([self.outline[i]], [self.normals[i]], -self.random.uniform(0.5, 1.4))[0]
            self.scene.planting.add(
                *self.place(*spot), z, self.random.choice(("bush", "bush", "grass")), self.random.uniform(0.7, 1.15)
            )
            if i % 3 == 0:
                spot = offset([self.outline[i]], [self.normals[i]], -self.random.uniform(2.0, 4.0))[0]
                kind, scale = self.random.choice(
                    (("palm", 0.70), ("small", 1.7), ("round", 0.80), ("tall", 0.60), ("frangipani", 1.35))
                )
                self.scene.planting.add(*self.place(*spot), z, kind, scale * self.random.uniform(0.85, 1.1))


class ResidentialTower(Tower):
    corner_radius = CORNER_RADIUS

    def __init__(self, scene: Scene, site: TowerSite, phase: int):
        super().__init__(scene, site)
        self.phase = phase
        lengths = [dist(point, self.outline[i - 1]) for i, point in enumerate(self.outline)]
        perimeter, run = sum(lengths), 0.0
        self.turns = []
        for i in range(len(self.outline)):
            self.turns.append(run / perimeter * 2 * pi)
            run += lengths[(i + 1) % len(lengths)]

    def balcony_depths(self, floor: int) -> list[float]:
        """The depth of the slab beyond the glass at each point. The depths form a wave that rises around the tower."""
        return [
            max(0.45, 1.25 + 0.95 * sin(2 * turn + 0.105 * floor + self.phase) + 0.35 * sin(5 * turn - 0.07 * floor))
            for turn in self.turns
        ]

    def build(self) -> None:
        for floor in range(self.site.floors):
            storey = self.garden_storey(floor)
            if storey in (None, 0):
                self.add_slab(floor)
            if storey is None:
                self.add_rooms(floor)
                self.add_balcony_screens(floor)
            elif storey == 0:
                self.add_garden(floor, ceiling_inset=0.6)
        self.add_piers()
        self.add_crown()
        self.frame.build(smooth_angle=32)
        self.interior.build()

    def add_slab(self, floor: int) -> None:
        z, depths = self.floor_z(floor), self.balcony_depths(floor)
        edge = self.place.all(offset(self.outline, self.normals, depths))
        self.frame.prism(edge, z - 0.42, z + 0.16, "slab", "slab", "soffit")
        glass = self.place.all(offset(self.outline, self.normals, [d - 0.07 for d in depths]))
        self.frame.ribbon(glass, z + 0.16, z + 1.13, "rail")
        for i, j in zip(range(len(glass)), [*range(1, len(glass)), 0]):
            self.frame.face(upright(glass[i], glass[j], z + 1.11, z + 1.17), "bronze")

    def add_balcony_screens(self, floor: int) -> None:
        """Bronze screens between neighbours' balconies, and plants on some of them."""
        z, depths = self.floor_z(floor), self.balcony_depths(floor)
        for i in range(4, len(self.outline), 11):
            if depths[i] > 0.9:
                screen = fin(self.outline[i], self.normals[i], 0.05, depths[i] - 0.15)
                self.frame.prism(self.place.all(screen), z + 0.16, z + 2.9, "bronze")
        for i, depth in enumerate(depths):
            if depth > 1.3 and self.random.random() < 0.10:
                spot = offset([self.outline[i]], [self.normals[i]], depth - 0.55)[0]
                kind = self.random.choice(("bush", "grass", "small"))
                scale = {"bush": 0.36, "grass": 1.0, "small": 0.42}[kind]
                self.scene.planting.add(*self.place(*spot), z + 0.16, kind, scale)

    def add_piers(self) -> None:
        """Pale piers up the long sides and bronze fins up the short ones."""
        z0, z1, a, b = self.site.base, self.site.roof, self.site.half_width, self.site.half_depth
        for i in range(0, len(self.outline), 11):
            nx, ny = self.normals[i]
            if abs(nx) <= 0.2 or abs(ny) <= 0.2:
                self.frame.prism(
                    self.place.all(fin(self.outline[i], self.normals[i], 0.14, 1.25)), z0, z1, "bronze", "bronze"
                )
        for x in (-0.56 * a, -0.02 * a, 0.50 * a):
            for y0, y1 in ((b - 0.2, b + 2.75), (-b - 2.75, -b + 0.2)):
                self.frame.prism(self.place.all(rectangle(x - 0.26, y0, x + 0.26, y1)), z0, z1 + 6.5, "slab", "slab")

    def add_crown(self) -> None:
        """A lantern of pale blades around a lit roof garden."""
        z = self.site.roof
        self.frame.prism(self.line(1.0), z - 0.34, z + 0.1, "slab", "slab", "soffit")
        self.frame.prism(self.inner(4, 4, 3.0), z + 0.1, z + 5.0, "glass")
        self.interior.prism(self.inner(5, 5, 3.0), z + 0.1, z + 4.9, "glowing", "dark", color=(1.0, 0.64, 0.32))
        self.frame.prism(self.inner(3.4, 3.4, 3.0), z + 5.0, z + 5.35, "slab", "slab", "soffit")
        self.frame.prism(self.inner(9, 8, 2.0), z + 5.35, z + 8.5, "slab", "roof")
        blades = rounded_rectangle(self.site.half_width + 0.2, self.site.half_depth + 0.2, self.corner_radius, 0.95)
        for point, normal in zip(blades, outward_normals(blades)):
            height = 7.5 + 5.0 * (0.5 + 0.5 * sin(atan2(point[1], point[0]) + self.phase * 1.7))
            self.frame.prism(self.place.all(fin(point, normal, 0.10, -0.6)), z, z + height, "slab", "slab")
        for i in range(0, len(self.outline), 4):
            x, y = offset([self.outline[i]], [self.normals[i]], -2.2)[0]
            self.scene.lamp(*self.place(x, y), z + 1.2, 300, GARDEN_LIGHT, 0.5)
            self.scene.planting.add(*self.place(x, y), z + 0.1, "bush", 0.8)


class ServicedTower(Tower):
    corner_radius = 1.2
    lit_share = 0.66

    def build(self) -> None:
        for floor in range(self.site.floors):
            storey = self.garden_storey(floor)
            z = self.floor_z(floor)
            if storey in (None, 0):
                self.frame.prism(self.line(0.45), z - 0.40, z + 0.14, "slab", "slab", "soffit")
            if storey is None:
                self.add_rooms(floor)
            elif storey == 0:
                self.add_garden(floor, ceiling_inset=0.3)
        z0, z1 = self.site.base, self.site.roof
        for i in range(0, len(self.outline), 3):
            self.frame.prism(
                self.place.all(fin(self.outline[i], self.normals[i], 0.12, 0.85)), z0, z1 + 4.5, "bronze", "bronze"
            )
        self.add_crown()
        self.frame.build(smooth_angle=32)
        self.interior.build()

    def add_crown(self) -> None:
        z = self.site.roof
        self.frame.prism(self.line(0.5), z - 0.34, z + 0.1, "slab", "slab", "soffit")
        self.frame.prism(self.inner(2.5, 2.5, 1.0), z + 0.1, z + 4.4, "glass")
        self.interior.prism(self.inner(6, 5, 1.0), z + 0.1, z + 4.3, "glowing", "dark", color=(0.50, 0.32, 0.16))
        self.frame.prism(
            self.place.all(rounded_rectangle(self.site.half_width + 0.9, self.site.half_depth + 0.9, 1.2, 3)),
            z + 4.4,
            z + 4.9,
            "bronze",
            "roof",
            "soffit",
        )
