"""The podium under the towers: four storeys with shops, planted slab edges and bronze screens."""

from dataclasses import dataclass
from random import Random

from layout import PODIUM_HEIGHT
from mesh import Color, MeshBuilder, Placement, Point2, fin, offset, outward_normals, rounded_rectangle
from podium import shops
from podium.outlines import add_band
from stage import Scene

PLACE = Placement(18, 4)
SLAB = 0.9
OVERHANG = 2.6
WARM_LIGHTS: tuple[Color, ...] = ((1.0, 0.66, 0.36), (1.0, 0.72, 0.44), (1.0, 0.78, 0.54), (1.0, 0.62, 0.30))
# Range of y of the residents' hall, behind the porte-cochere, in coordinates of the podium.
HALL = (-10.0, 12.0)


@dataclass(frozen=True)
class Storey:
    half_width: float
    half_depth: float
    radius: float
    floor: float
    top: float
    room_depth: float
    brightness: tuple[float, float]
    fin_spacing: float
    fin_width: float
    kinds: tuple[str, ...]

    @property
    def ceiling(self) -> float:
        return self.top - SLAB


STOREYS = (
    Storey(
        74, 44, 14, 0.1, 6.2, 9.0, (0.75, 1.1), 4.0, 0.20, ("boutique", "cafe", "market", "gallery", "boutique", "cafe")
    ),
    Storey(72, 42, 14, 6.2, 11.4, 7.0, (0.6, 0.95), 4.0, 0.20, ("lounge", "lounge", "cafe", "gallery")),
    Storey(70.5, 40.5, 13, 11.4, 16.0, 6.0, (0.35, 0.7), 0.9, 0.09, ("lounge",)),
    Storey(68, 38, 13, 16.0, PODIUM_HEIGHT, 6.0, (0.35, 0.7), 0.9, 0.09, ("lounge",)),
)


def add_window_frames(mesh: MeshBuilder, line: list[Point2], normals: list[Point2], storey: Storey) -> None:
    """Glass with slim mullions, a transom and a plinth."""
    transom = storey.floor + 3.1
    for i, (a, b) in enumerate(zip(line, line[1:])):
        mesh.face([(*a, storey.floor), (*b, storey.floor), (*b, storey.ceiling), (*a, storey.ceiling)], "glass")
        for z, height, depth in (
            (storey.floor, 0.16, 0.08),
            (transom, 0.09, 0.07),
            (storey.ceiling - 0.14, 0.14, 0.08),
        ):
            outer = offset([a, b], [normals[i], normals[i + 1]], depth)
            mesh.prism([a, outer[0], outer[1], b], z, z + height, "dark", "dark", "dark")
    for point, normal in zip(line, normals):
        mesh.prism(fin(point, normal, 0.035, 0.12), storey.floor, storey.ceiling, "dark")


def add_shop_front(
    mesh: MeshBuilder, line: list[Point2], normals: list[Point2], storey: Storey, random: Random
) -> None:
    """A bronze door surround and a lit sign above the transom. The sign has no letters, as cameras are far away."""
    middle = len(line) // 2
    place = shops.Room(line, offset(line, normals, -1.0), storey.floor, storey.ceiling, (1, 1, 1)).frame(
        middle / (len(line) - 1), 0.0
    )
    for x0, z0, x1, z1 in (
        (-1.15, 0.0, -1.0, 3.1),
        (1.0, 0.0, 1.15, 3.1),
        (-1.15, 2.95, 1.15, 3.2),
        (-0.03, 0.0, 0.03, 2.95),
    ):
        mesh.box(x0, -0.26, storey.floor + z0, x1, 0.06, storey.floor + z1, "bronze", transform=place)
    mesh.box(-2.2, -0.16, storey.floor + 3.2, 2.2, -0.06, storey.floor + 3.86, "dark", transform=place)
    x = -1.3
    while x < 1.2:
        width = random.uniform(0.07, 0.24)
        z = storey.floor + 3.40
        mesh.box(
            x, -0.20, z, x + width, -0.165, z + random.choice((0.2, 0.2, 0.28)), "glowing", (1.6, 1.25, 0.85), place
        )
        x += width + 0.07


def add_rooms(scene: Scene, mesh: MeshBuilder, storey: Storey, random: Random) -> None:
    outline = rounded_rectangle(storey.half_width, storey.half_depth, storey.radius, 2.0)
    normals = outward_normals(outline)
    # The podium is not rotated, so normals in its coordinates are also normals on the site.
    front, back = PLACE.all(outline), PLACE.all(offset(outline, normals, -storey.room_depth))
    count = len(front)
    ground_floor = storey is STOREYS[0]

    def in_hall(i: int) -> bool:
        x, y = outline[i % count]
        return ground_floor and x < -storey.half_width + 0.5 and HALL[0] < y < HALL[1]

    start = 0
    order = 0
    while start < count:
        hall = in_hall(start)
        end = start + 1
        length = 40 if hall else random.choice((5, 6, 7, 8))
        while end < min(count, start + length) and in_hall(end) == hall:
            end += 1
        indices = [i % count for i in range(start, end + 1)]
        kind = "lobby" if hall else storey.kinds[order % len(storey.kinds)]
        light = shops.scaled(random.choice(WARM_LIGHTS), 1.15 if hall else random.uniform(*storey.brightness))
        if kind == "market":
            light = (0.95, 0.85, 0.7)
        room = shops.Room([front[i] for i in indices], [back[i] for i in indices], storey.floor, storey.ceiling, light)
        shops.KINDS[kind](mesh, room, random)
        line, line_normals = [front[i] for i in indices], [normals[i] for i in indices]
        add_window_frames(mesh, line, line_normals, storey)
        if ground_floor and not hall:
            add_shop_front(mesh, line, line_normals, storey, random)
        start, order = end, order + 1


def add_slab(scene: Scene, mesh: MeshBuilder, storey: Storey, random: Random) -> None:
    """The roof slab of a storey with its lit soffit, a light line, bronze blades and the planted edge."""
    outline = rounded_rectangle(storey.half_width, storey.half_depth, storey.radius, 2.0)
    normals = outward_normals(outline)
    edge = PLACE.all(offset(outline, normals, OVERHANG))
    inside = PLACE.all(offset(outline, normals, -storey.room_depth))
    mesh.ribbon(edge, storey.ceiling, storey.top, "slab")
    add_band(mesh, edge, inside, storey.top, "travertine")
    add_band(mesh, inside, edge, storey.ceiling, "soffit")
    outer = PLACE.all(offset(outline, normals, OVERHANG - 0.30))
    inner = PLACE.all(offset(outline, normals, OVERHANG - 0.38))
    add_band(mesh, inner, outer, storey.ceiling - 0.01, "glowing", (2.2, 1.35, 0.68))

    blades = rounded_rectangle(storey.half_width + 1.6, storey.half_depth + 1.6, storey.radius, storey.fin_spacing)
    for point, normal in zip(blades, outward_normals(blades)):
        if storey is STOREYS[0] and point[0] < -storey.half_width and HALL[0] < point[1] < HALL[1]:
            continue
        mesh.prism(PLACE.all(fin(point, normal, storey.fin_width, 0.5)), storey.floor, storey.ceiling, "bronze")

    plants = rounded_rectangle(storey.half_width + 1.9, storey.half_depth + 1.9, storey.radius, 1.7)
    for point in plants:
        x, y = PLACE(*point)
        scene.planting.add(x, y, storey.top - 0.1, "bush", random.uniform(0.55, 0.95))


def build(scene: Scene) -> None:
    random = scene.random("podium")
    for i, storey in enumerate(STOREYS):
        mesh = scene.mesh(f"podium storey {i}")
        add_rooms(scene, mesh, storey, random)
        add_slab(scene, mesh, storey, random)
        mesh.build()
