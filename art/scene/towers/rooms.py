"""Rooms behind the glass of towers, with walls, ceilings, curtains and light."""

from dataclasses import dataclass
from random import Random

from mesh import Color, MeshBuilder, Point2

LAMP_TONES: tuple[Color, ...] = (
    (1.0, 0.58, 0.27),
    (1.0, 0.66, 0.35),
    (1.0, 0.73, 0.46),
    (1.0, 0.52, 0.21),
    (0.98, 0.82, 0.62),
)
LEVELS = (0.16, 0.26, 0.38, 0.52, 0.72, 1.0)
UNLIT: Color = (0.012, 0.014, 0.019)


@dataclass(frozen=True)
class FloorPlan:
    """The glass line of a floor and the line of the walls behind it. Both are closed, and their points correspond."""

    glass: list[Point2]
    curtain: list[Point2]
    wall: list[Point2]


def scaled(color: Color, factor: float) -> Color:
    return (color[0] * factor, color[1] * factor, color[2] * factor)


def furnish_floor(
    builder: MeshBuilder, random: Random, plan: FloorPlan, z0: float, z1: float, lit_share: float
) -> None:
    """Divides a floor into flats and rooms. The lit rooms of a flat have the same tone."""
    count = len(plan.glass)
    start = 0
    while start < count:
        end = min(count, start + random.randint(7, 13))
        at_home = random.random() < lit_share
        tone = random.choice(LAMP_TONES)
        while start < end:
            stop = min(end, start + random.choice((2, 3, 3, 4)))
            light = scaled(tone, random.choice(LEVELS)) if at_home and random.random() < 0.78 else UNLIT
            if light is UNLIT and random.random() < 0.22:
                light = scaled(tone, 0.07)
            furnish_room(builder, random, plan, range(start, stop), z0, z1, light)
            start = stop


def furnish_room(
    builder: MeshBuilder, random: Random, plan: FloorPlan, bays: range, z0: float, z1: float, light: Color
) -> None:
    count = len(plan.glass)
    feature_wall = random.uniform(0.45, 0.75)
    lamp_bay = random.choice(bays)
    for i in bays:
        j = (i + 1) % count
        glass0, glass1, wall0, wall1 = plan.glass[i], plan.glass[j], plan.wall[i], plan.wall[j]
        near_lamp = 1.0 - 0.22 * abs(i - lamp_bay)
        middle = (z0 + z1) / 2
        # Two bands, because light from the ceiling fades down the wall.
        builder.face(upright(wall0, wall1, middle, z1), "glowing", scaled(light, feature_wall * near_lamp))
        builder.face(upright(wall0, wall1, z0, middle), "glowing", scaled(light, feature_wall * near_lamp * 0.62))
        builder.face(level(glass0, glass1, wall1, wall0, z1 - 0.02), "glowing", scaled(light, 0.85 * near_lamp))
        builder.face(level(glass0, glass1, wall1, wall0, z0 + 0.01), "glowing", scaled(light, 0.15))
        if random.random() < 0.34:
            hang_curtain(builder, random, plan, i, z0, z1, light)
    end = bays.stop % count
    builder.face(upright(plan.glass[end], plan.wall[end], z0, z1), "glowing", scaled(light, 0.4))


def hang_curtain(
    builder: MeshBuilder, random: Random, plan: FloorPlan, bay: int, z0: float, z1: float, light: Color
) -> None:
    """A curtain over part of a bay, with folds of different brightness, or a roller blind."""
    start, end = plan.curtain[bay], plan.curtain[(bay + 1) % len(plan.curtain)]
    lit = light is not UNLIT
    shade = random.uniform(0.32, 0.55)

    def at(t: float) -> Point2:
        return start[0] + (end[0] - start[0]) * t, start[1] + (end[1] - start[1]) * t

    if random.random() < 0.25:
        color = scaled(light, shade) if lit else (0.030, 0.031, 0.034)
        builder.face(
            upright(at(0.03), at(0.97), z0 + (z1 - z0) * random.choice((0.25, 0.45, 0.6)), z1), "glowing", color
        )
        return
    first, last = random.choice(((0.0, 0.45), (0.55, 1.0), (0.0, 1.0)))
    folds = 5
    for fold in range(folds):
        t0, t1 = (first + (last - first) * (fold + k) / folds for k in (0, 1))
        bright = 1.0 if fold % 2 else 0.78
        color = scaled(light, shade * bright) if lit else scaled((0.034, 0.035, 0.039), bright)
        builder.face(upright(at(t0), at(t1), z0, z1), "glowing", color)


def upright(a: Point2, b: Point2, z0: float, z1: float) -> list[tuple[float, float, float]]:
    return [(*a, z0), (*b, z0), (*b, z1), (*a, z1)]


def level(a: Point2, b: Point2, c: Point2, d: Point2, z: float) -> list[tuple[float, float, float]]:
    return [(*a, z), (*b, z), (*c, z), (*d, z)]
