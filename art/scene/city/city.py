"""The city around the site, up to the horizon: land, streets, buildings, trees and hills."""

from math import cos, hypot, pi, radians, sin
from random import Random

from mathutils import Vector, noise

from city.districts import BLOCK_DEPTH, BLOCK_WIDTH, DISTRICTS, District, centrality
from city.land_use import FILLERS, Superblock
from city.models import Models
from city.scatter import Scatter
from city.streets import Streets
from mesh import MeshBuilder
from river.course import END, north_bank, south_bank, stations
from stage import Scene
from views import View

NEAR = 2100.0
FAR = 6500.0
# At eye level, the roofs in front hide the city beyond this distance.
FAR_AT_EYE_LEVEL = 4200.0

# Uses by district and superblock, chosen by hand because the views from level 40 show these superblocks in front.
CHOSEN_USES = {
    ("south", -2, -2): "shophouses",
    ("south", -3, -2): "sports ground",
    ("south", -4, -2): "shophouses",
    ("south", -3, -4): "houses",
    ("north", -3, 3): "sports ground",
}


class Frame:
    """The part of the plan that the camera sees, with a margin."""

    def __init__(self, view: View):
        self._x, self._y, height = view.location
        azimuth = radians(view.azimuth)
        self._ahead, self._right = (sin(azimuth), cos(azimuth)), (cos(azimuth), -sin(azimuth))
        widest = max(1.0, 1.0 / view.aspect)
        self._left_edge = (-18 + view.shift[0] * 36 * widest) / view.lens
        self._right_edge = (18 + view.shift[0] * 36 * widest) / view.lens
        self.reach = FAR if height > 100 else FAR_AT_EYE_LEVEL

    def distance(self, x: float, y: float) -> float:
        return hypot(x - self._x, y - self._y)

    def shows(self, x: float, y: float, margin: float) -> bool:
        dx, dy = x - self._x, y - self._y
        depth = dx * self._ahead[0] + dy * self._ahead[1]
        side = dx * self._right[0] + dy * self._right[1]
        if depth < -margin or self.distance(x, y) > self.reach:
            return False
        depth = max(depth, 0.0)
        return self._left_edge * depth - margin * 1.4 < side < self._right_edge * depth + margin * 1.4


def land_use(district: District, i: int, j: int, random: Random) -> str:
    """The use of a superblock, denser near the centres of the city."""
    if (district.name, i, j) in CHOSEN_USES:
        return CHOSEN_USES[district.name, i, j]
    central = centrality(*district.point(i * BLOCK_WIDTH, j * BLOCK_DEPTH)) * random.uniform(0.8, 1.2)
    if central > 0.50:
        return "centre" if random.random() < 0.88 else "park"
    if central > 0.20:
        return random.choice(("mixed centre", "mixed centre", "condominiums", "street blocks", "park"))
    uses = ("estate", "condominiums", "houses", "shophouses", "street blocks", "park", "sports ground")
    weights = (30, 14, 15, 15, 12, 12, 2) if district.name == "north" else (22, 10, 20, 25, 10, 12, 1)
    return random.choices(uses, weights)[0]


def build(scene: Scene) -> None:
    frame = Frame(scene.view)
    models, scatter = Models(scene), Scatter(scene.blender)
    ground, roads = scene.mesh("city ground"), scene.mesh("city streets")
    streets = Streets(roads, models, scatter, scene.random("streets"))
    land(ground, scene.view)
    for district in DISTRICTS:
        if scene.view.over_water and district.name == "south":
            continue
        for i in range(-32, 33):
            for j in range(-38, 39):
                build_superblock(scene, frame, district, i, j, models, scatter, ground, streets)
    if scene.view.location[2] > 100:
        riverside(scene, frame, models, scatter, ground, streets)
    hills(scene.mesh("hills"))
    ground.build()
    roads.build()
    print(f"city: {scatter.build()} copies", flush=True)


def build_superblock(
    scene: Scene,
    frame: Frame,
    district: District,
    i: int,
    j: int,
    models: Models,
    scatter: Scatter,
    ground: MeshBuilder,
    streets: Streets,
) -> None:
    s, t = i * BLOCK_WIDTH, j * BLOCK_DEPTH
    x, y = district.point(s, t)
    reach = hypot(BLOCK_WIDTH, BLOCK_DEPTH) / 2
    if not frame.shows(x, y, reach) or not district.is_land(x, y, -reach):
        return
    near = frame.distance(x, y) < NEAR
    # A separate random source, so superblocks that a view omits do not change the others.
    random = scene.random(f"{district.name} {i} {j}")
    use = land_use(district, i, j, random)
    block = Superblock(district, s, t, near, random, models, scatter, ground, streets)
    FILLERS[use](block)
    if use not in ("park", "sports ground") and not block.is_land(0, 0, reach * 0.8):
        # The river cuts this superblock. Trees fill the land on which no building fits.
        block.grove(0, 0, BLOCK_WIDTH, BLOCK_DEPTH, 90)
    if frame.distance(x, y) < NEAR * 1.8:
        avenues(district, i, j, near, streets)


def avenues(district: District, i: int, j: int, near: bool, streets: Streets) -> None:
    """The avenues on the superblock's right and upper edge. Every third avenue is wider."""
    s, t = i * BLOCK_WIDTH, j * BLOCK_DEPTH
    right, upper = s + BLOCK_WIDTH / 2, t + BLOCK_DEPTH / 2
    across = [district.point(right, t + BLOCK_DEPTH * (k / 6 - 0.5)) for k in range(7)]
    along = [district.point(s + BLOCK_WIDTH * (k / 7 - 0.5), upper) for k in range(8)]
    for line, wide in ((across, i % 3 == 0), (along, j % 3 == 0)):
        pieces = [[a, b] for a, b in zip(line, line[1:]) if district.is_land(*a, 6) and district.is_land(*b, 6)]
        for piece in pieces:
            streets.add(
                piece,
                half=7.4 if wide else 5.2,
                light=1.0 if wide else 0.7,
                traffic=(3.4 if wide else 1.5) if near else 1.0,
                trees=10.0 if near else 0.0,
                lamps=near,
            )


def land(ground: MeshBuilder, view: View) -> None:
    """The ground north and south of the river, up to the hills."""
    xs = [x for x in stations(60.0) if abs(x) <= END]
    for a, b in zip(xs, xs[1:]):
        ground.horizontal(
            [(a, north_bank(a)), (b, north_bank(b)), (b, 14000), (a, 14000)], -0.02, "plot", (0.085, 0.088, 0.068)
        )
        if not view.over_water:
            ground.horizontal(
                [(a, -14000), (b, -14000), (b, south_bank(b)), (a, south_bank(a))], -0.02, "plot", (0.085, 0.088, 0.068)
            )


def riverside(
    scene: Scene, frame: Frame, models: Models, scatter: Scatter, ground: MeshBuilder, streets: Streets
) -> None:
    """A park along the south bank and the road behind it."""
    random = scene.random("riverside")
    xs = [x for x in stations(24.0) if frame.shows(x, south_bank(x), 60) and frame.distance(x, south_bank(x)) < 4500]
    line = [(x, south_bank(x)) for x in xs]
    for (ax, ay), (bx, by) in zip(line, line[1:]):
        if bx - ax > 25:
            continue
        ground.horizontal(
            [(ax, ay - 58), (bx, by - 58), (bx, by - 15), (ax, ay - 15)], 0.04, "grass", (0.060, 0.098, 0.030)
        )
        for _ in range(5):
            f = random.random()
            spot = (ax + (bx - ax) * f, ay + (by - ay) * f - random.uniform(19, 55))
            scatter.add(models.tree(random), *spot, 0.0, random.uniform(0, 2 * pi), random.uniform(0.6, 1.2))
    pieces = [[a, b] for a, b in zip(line, line[1:]) if b[0] - a[0] < 25]
    for (ax, ay), (bx, by) in pieces:
        streets.add([(ax, ay - 66), (bx, by - 66)], half=6.0, light=1.0, traffic=2.6)
        weave = [(ax, ay - 34 + 9 * sin(ax / 60)), (bx, by - 34 + 9 * sin(bx / 60))]
        streets.add(weave, half=1.7, sidewalk=0.3, light=1.2, z=0.09, lamps=False)


def hills(mesh: MeshBuilder) -> None:
    """Three low ridges at the horizon."""
    for number, (distance, height) in enumerate(((7600.0, 120.0), (9600.0, 240.0), (12500.0, 430.0))):
        ring = []
        for i in range(361):
            turn = radians(i)
            spot = Vector((cos(turn) * 3.2, sin(turn) * 3.2, number * 9.0))
            rise = 0.5 + 0.62 * noise.noise(spot) + 0.22 * noise.noise(spot * 3.1) + 0.07 * noise.noise(spot * 9.0)
            ring.append((cos(turn) * distance, sin(turn) * distance, max(0.0, rise) * height))
        for (ax, ay, az), (bx, by, bz) in zip(ring, ring[1:]):
            mesh.face([(ax, ay, -5), (bx, by, -5), (bx, by, bz), (ax, ay, az)], "hill", (0.05, 0.07, 0.045))
    mesh.build()
