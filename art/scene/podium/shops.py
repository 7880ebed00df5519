"""Rooms behind shop windows. Their walls, ceiling, floor and furniture emit light, so they need no lamps."""

from collections.abc import Callable
from dataclasses import dataclass
from math import hypot
from random import Random

from mesh import Color, MeshBuilder, Point2
from people import STANDING, WAITING, WALKING, add_person, outfit

DARK_WOOD: Color = (0.10, 0.055, 0.03)
PALE_STONE: Color = (0.55, 0.47, 0.38)
LINEN: Color = (0.62, 0.56, 0.48)


def scaled(color: Color, factor: float) -> Color:
    return tuple(channel * factor for channel in color)


def tinted(color: Color, light: Color) -> Color:
    return tuple(a * b for a, b in zip(color, light))


@dataclass(frozen=True)
class Room:
    """A room behind part of a facade. `front` and `back` have equally many points. `light` is brightness and colour."""

    front: list[Point2]
    back: list[Point2]
    floor: float
    ceiling: float
    light: Color

    @property
    def width(self) -> float:
        (ax, ay), (bx, by) = self.front[0], self.front[-1]
        return hypot(bx - ax, by - ay)

    def at(self, across: float, deep: float) -> Point2:
        """A plan point: `across` from 0 to 1 along the facade, `deep` from 0 at the glass to 1 at the back wall."""
        place = min(max(across, 0.0), 0.9999) * (len(self.front) - 1)
        i, t = int(place), place % 1
        points = []
        for line in (self.front, self.back):
            (ax, ay), (bx, by) = line[i], line[i + 1]
            points.append((ax + (bx - ax) * t, ay + (by - ay) * t))
        (fx, fy), (rx, ry) = points
        return fx + (rx - fx) * deep, fy + (ry - fy) * deep

    def frame(self, across: float, deep: float) -> Callable[[float, float], Point2]:
        """Local plan coordinates at a point: x along the facade, y towards the back."""
        x, y = self.at(across, deep)
        (ax, ay), (bx, by) = self.at(max(across - 0.02, 0), deep), self.at(min(across + 0.02, 1), deep)
        length = hypot(bx - ax, by - ay)
        tx, ty = (bx - ax) / length, (by - ay) / length
        return lambda u, v: (x + tx * u - ty * v, y + ty * u + tx * v)


def lit_box(
    mesh: MeshBuilder,
    room: Room,
    across: float,
    deep: float,
    box: tuple[float, float, float, float, float, float],
    color: Color,
) -> None:
    """A piece of furniture (x0, y0, z0, x1, y1, z1 about a point of the room), shaded as if lit by downlights."""
    place = room.frame(across, deep)
    x0, y0, z0, x1, y1, z1 = box
    z0, z1 = z0 + room.floor, z1 + room.floor
    plan = [place(x0, y0), place(x1, y0), place(x1, y1), place(x0, y1)]
    color = tinted(color, room.light)
    mesh.face([(*p, z1) for p in plan], "glowing", scaled(color, 1.5))
    mesh.face([(*p, z0) for p in plan[::-1]], "glowing", scaled(color, 0.25))
    for i, shade in enumerate((0.62, 0.42, 0.5, 0.38)):
        a, b = plan[i], plan[(i + 1) % 4]
        mesh.face([(*a, z0), (*b, z0), (*b, z1), (*a, z1)], "glowing", scaled(color, shade))


def pendant(mesh: MeshBuilder, room: Room, across: float, deep: float, drop: float, radius: float = 0.16) -> None:
    x, y = room.at(across, deep)
    top = room.ceiling - drop
    mesh.tube((x, y, room.ceiling), (x, y, top), 0.012, 0.012, "dark", sides=4)
    for r0, r1, z0, z1 in (
        (0.3, 0.9, -1.0, -0.55),
        (0.9, 1.0, -0.55, 0.0),
        (1.0, 0.75, 0.0, 0.6),
        (0.75, 0.15, 0.6, 1.0),
    ):
        mesh.tube(
            (x, y, top + z0 * radius),
            (x, y, top + z1 * radius),
            r0 * radius,
            r1 * radius,
            "glowing",
            8,
            (3.0, 1.95, 1.05),
        )


def shell(
    mesh: MeshBuilder, room: Room, wall: str, wall_color: Color, ceiling_color: Color = (0.8, 0.74, 0.66)
) -> None:
    """Floor, ceiling, back wall and both side walls."""
    height = room.ceiling - room.floor
    along = 0.0
    for (f0, f1), (b0, b1) in zip(zip(room.front, room.front[1:]), zip(room.back, room.back[1:])):
        step = hypot(b1[0] - b0[0], b1[1] - b0[1])
        depth = hypot(b0[0] - f0[0], b0[1] - f0[1])
        plan = [(along, 0), (along + step, 0), (along + step, depth), (along, depth)]
        mesh.face(
            [(*f0, room.floor), (*f1, room.floor), (*b1, room.floor), (*b0, room.floor)],
            "shop floor",
            scaled(room.light, 0.30),
            plan,
        )
        ceiling = [(*f0, room.ceiling), (*f1, room.ceiling), (*b1, room.ceiling), (*b0, room.ceiling)]
        mesh.face(ceiling[::-1], "shop ceiling", tinted(ceiling_color, room.light), plan[::-1])
        standing = [(along, height), (along + step, height), (along + step, 0), (along, 0)]
        back = [(*b0, room.floor), (*b1, room.floor), (*b1, room.ceiling), (*b0, room.ceiling)]
        mesh.face(back, wall, tinted(wall_color, room.light), standing)
        along += step
    for front, rear in ((room.front[0], room.back[0]), (room.front[-1], room.back[-1])):
        depth = hypot(rear[0] - front[0], rear[1] - front[1])
        corners = [(*front, room.floor), (*rear, room.floor), (*rear, room.ceiling), (*front, room.ceiling)]
        mesh.face(
            corners,
            wall,
            tinted(scaled(wall_color, 0.85), room.light),
            [(0, height), (depth, height), (depth, 0), (0, 0)],
        )


def boutique(mesh: MeshBuilder, room: Room, random: Random) -> None:
    shell(mesh, room, "shop shelves", (0.8, 0.72, 0.62))
    for deep in (0.30, 0.55):
        for k in range(max(1, round(room.width / 4.5))):
            across = (k + 0.5 + random.uniform(-0.15, 0.15)) / max(1, round(room.width / 4.5))
            if random.random() < 0.5:
                lit_box(
                    mesh,
                    room,
                    across,
                    deep,
                    (-0.9, -0.45, 0.0, 0.9, 0.45, 0.78),
                    random.choice((PALE_STONE, DARK_WOOD)),
                )
                for item in range(4):
                    x = -0.7 + item * 0.42
                    tone = random.choice(((0.5, 0.1, 0.06), (0.08, 0.12, 0.18), (0.6, 0.5, 0.3), (0.55, 0.5, 0.45)))
                    lit_box(
                        mesh,
                        room,
                        across,
                        deep,
                        (x, -0.16, 0.78, x + 0.28, 0.16, 0.78 + random.uniform(0.06, 0.32)),
                        tone,
                    )
            else:
                lit_box(mesh, room, across, deep, (-0.85, -0.02, 1.52, 0.85, 0.02, 1.56), DARK_WOOD)
                x = -0.8
                while x < 0.75:
                    tone = random.choice(
                        (LINEN, (0.10, 0.12, 0.16), (0.35, 0.10, 0.07), (0.42, 0.33, 0.22), (0.16, 0.2, 0.17))
                    )
                    lit_box(mesh, room, across, deep, (x, -0.22, 0.55, x + 0.07, 0.22, 1.5), tone)
                    x += random.uniform(0.10, 0.16)
    for _ in range(2):
        x, y = room.at(random.uniform(0.12, 0.88), 0.08)
        add_person(mesh, (x, y, room.floor + 0.15), random.uniform(0, 360), STANDING, outfit(random, STANDING))


def cafe(mesh: MeshBuilder, room: Room, random: Random) -> None:
    shell(mesh, room, "shop wall", (0.40, 0.24, 0.14), (0.5, 0.42, 0.34))
    lit_box(mesh, room, 0.5, 0.80, (-room.width * 0.34, -0.35, 0.0, room.width * 0.34, 0.35, 1.1), PALE_STONE)
    for shelf in (1.5, 2.0, 2.5):
        lit_box(
            mesh,
            room,
            0.5,
            0.97,
            (-room.width * 0.3, -0.15, shelf, room.width * 0.3, 0.1, shelf + 0.05),
            (1.2, 0.9, 0.55),
        )
        x = -room.width * 0.29
        while x < room.width * 0.28:
            tone = random.choice(((0.5, 0.25, 0.08), (0.15, 0.22, 0.12), (0.6, 0.5, 0.35)))
            lit_box(
                mesh, room, 0.5, 0.97, (x, -0.1, shelf + 0.05, x + 0.09, 0.0, shelf + random.uniform(0.22, 0.34)), tone
            )
            x += random.uniform(0.12, 0.3)
    count = max(2, round(room.width / 1.9))
    for k in range(count):
        pendant(mesh, room, (k + 0.5) / count, 0.76, room.ceiling - room.floor - 2.15, 0.15)
    for deep in (0.14, 0.42):
        for k in range(max(2, round(room.width / 2.6))):
            across = (k + 0.5 + random.uniform(-0.1, 0.1)) / max(2, round(room.width / 2.6))
            lit_box(mesh, room, across, deep, (-0.38, -0.38, 0.70, 0.38, 0.38, 0.74), PALE_STONE)
            lit_box(mesh, room, across, deep, (-0.04, -0.04, 0.0, 0.04, 0.04, 0.70), (0.05, 0.05, 0.05))
            for side in (-1, 1):
                x0 = side * 0.62 - 0.21
                lit_box(mesh, room, across, deep, (x0, -0.2, 0.40, x0 + 0.42, 0.22, 0.46), (0.22, 0.13, 0.07))
                back = side * 0.80 - 0.02
                lit_box(mesh, room, across, deep, (back, -0.2, 0.46, back + 0.04, 0.22, 0.84), (0.22, 0.13, 0.07))
    for _ in range(2):
        x, y = room.at(random.uniform(0.1, 0.9), random.uniform(0.25, 0.7))
        add_person(
            mesh,
            (x, y, room.floor),
            random.uniform(0, 360),
            random.choice((STANDING, WALKING)),
            outfit(random, WALKING),
        )


def market(mesh: MeshBuilder, room: Room, random: Random) -> None:
    shell(mesh, room, "shop shelves", (0.95, 0.95, 0.9))
    for k in range(max(2, round(room.width / 3.2))):
        across = (k + 0.5) / max(2, round(room.width / 3.2))
        place = room.frame(across, 0.18)
        lit_box(mesh, room, across, 0.18, (-0.55, -0.5, 0.0, 0.55, 0.5, 0.72), (0.28, 0.19, 0.11))
        for u in (-0.42, -0.08, 0.26):
            tone = random.choice(((0.55, 0.22, 0.05), (0.20, 0.32, 0.06), (0.55, 0.08, 0.05), (0.6, 0.48, 0.10)))
            lit_box(mesh, room, across, 0.18, (u - 0.02, -0.44, 0.72, u + 0.28, 0.44, 0.84), tone)
        wide = 0.55
        for deep in (0.42, 0.68):
            place = room.frame(across, deep)
            for side in (-wide, wide):
                a, b = place(side, -1.1), place(side, 1.1)
                corners = [(*a, room.floor), (*b, room.floor), (*b, room.floor + 1.9), (*a, room.floor + 1.9)]
                mesh.face(corners, "shop shelves", scaled(room.light, 0.8), [(0, 1.9), (2.2, 1.9), (2.2, 0), (0, 0)])
            a, b = place(-wide, -1.1), place(wide, -1.1)
            corners = [(*a, room.floor), (*b, room.floor), (*b, room.floor + 1.9), (*a, room.floor + 1.9)]
            mesh.face(corners, "shop shelves", room.light, [(0, 1.9), (1.1, 1.9), (1.1, 0), (0, 0)])
    for _ in range(2):
        x, y = room.at(random.uniform(0.1, 0.9), random.uniform(0.08, 0.3))
        add_person(
            mesh, (x, y, room.floor), random.uniform(0, 360), random.choice((WAITING, WALKING)), outfit(random, WALKING)
        )


def gallery(mesh: MeshBuilder, room: Room, random: Random) -> None:
    shell(mesh, room, "shop wall", (0.72, 0.66, 0.58))
    count = max(2, round(room.width / 2.8))
    for k in range(count):
        width, height = random.uniform(0.5, 1.0), random.uniform(0.6, 1.1)
        tone = random.choice(((0.12, 0.16, 0.2), (0.5, 0.25, 0.1), (0.2, 0.24, 0.16), (0.45, 0.4, 0.3)))
        lit_box(
            mesh, room, (k + 0.5) / count, 0.985, (-width, -0.08, 1.7 - height, width, 0.0, 1.7 + height), DARK_WOOD
        )
        lit_box(
            mesh,
            room,
            (k + 0.5) / count,
            0.975,
            (-width + 0.08, -0.08, 1.78 - height, width - 0.08, 0.0, 1.62 + height),
            scaled(tone, 1.3),
        )
    lit_box(mesh, room, 0.5, 0.5, (-1.6, -0.5, 0.0, 1.6, 0.5, 0.42), LINEN)
    lit_box(mesh, room, 0.25, 0.6, (-0.3, -0.3, 0.0, 0.3, 0.3, 1.0), PALE_STONE)
    lit_box(mesh, room, 0.25, 0.6, (-0.14, -0.14, 1.0, 0.14, 0.14, 1.6), (0.5, 0.3, 0.12))
    for _ in range(2):
        x, y = room.at(random.uniform(0.15, 0.85), random.uniform(0.4, 0.8))
        add_person(mesh, (x, y, room.floor), random.uniform(0, 360), WAITING, outfit(random, WAITING))


def lobby(mesh: MeshBuilder, room: Room, random: Random) -> None:
    """The residents' hall: a veined stone wall lit from above, a reception desk, sofas and a cloud of pendants."""
    shell(mesh, room, "lobby stone", (0.95, 0.80, 0.62), (0.75, 0.64, 0.5))
    lit_box(mesh, room, 0.5, 0.78, (-2.6, -0.4, 0.0, 2.6, 0.4, 1.12), (0.20, 0.11, 0.06))
    lit_box(mesh, room, 0.5, 0.78, (-2.4, -0.46, 0.12, 2.4, -0.40, 0.98), (1.5, 0.95, 0.48))
    for across in (0.16, 0.30, 0.70, 0.84):
        lit_box(mesh, room, across, 0.45, (-1.1, -0.45, 0.10, 1.1, 0.45, 0.42), LINEN)
        lit_box(mesh, room, across, 0.45, (-1.1, 0.30, 0.42, 1.1, 0.48, 0.82), LINEN)
        lit_box(mesh, room, across, 0.32, (-0.5, -0.3, 0.0, 0.5, 0.3, 0.36), DARK_WOOD)
    for _ in range(22):
        pendant(
            mesh,
            room,
            0.5 + random.uniform(-0.2, 0.2),
            0.42 + random.uniform(-0.16, 0.16),
            random.uniform(0.5, 2.2),
            0.11,
        )
    for across, deep in ((0.44, 0.66), (0.58, 0.35), (0.27, 0.3)):
        x, y = room.at(across, deep)
        add_person(mesh, (x, y, room.floor), random.uniform(0, 360), WAITING, outfit(random, WAITING))


def lounge(mesh: MeshBuilder, room: Room, random: Random) -> None:
    """An upper storey seen from below: mostly ceiling, wall and pendants."""
    shell(
        mesh,
        room,
        "shop wall",
        random.choice(((0.6, 0.46, 0.32), (0.46, 0.32, 0.2), (0.62, 0.56, 0.48))),
        (0.8, 0.68, 0.54),
    )
    count = max(1, round(room.width / 3))
    for k in range(count):
        if random.random() < 0.7:
            pendant(mesh, room, (k + 0.5) / count, random.uniform(0.15, 0.5), random.uniform(0.8, 1.4), 0.17)
        if random.random() < 0.5:
            lit_box(
                mesh, room, (k + 0.5) / count, 0.12, (-0.6, -0.3, 0.0, 0.6, 0.3, random.uniform(0.75, 1.3)), DARK_WOOD
            )


KINDS = {"boutique": boutique, "cafe": cafe, "market": market, "gallery": gallery, "lobby": lobby, "lounge": lounge}
