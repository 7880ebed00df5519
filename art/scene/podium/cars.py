"""Cars as lofted bodies with glass, wheels and lights."""

from dataclasses import dataclass
from math import radians

from mesh import BLACK, Color, MeshBuilder, Placement, circle
from stage import Scene


@dataclass(frozen=True)
class Station:
    """A cross-section at `along` metres from the middle (front positive): heights and half widths from sill to roof."""

    along: float
    sill: float
    belt: float
    roof: float
    half_width: float
    half_roof: float


@dataclass(frozen=True)
class Model:
    stations: tuple[Station, ...]
    wheels: tuple[float, float]
    wheel_radius: float
    # Indexes of the bands between stations that are pillars. The other bands of the cabin are glass.
    pillars: frozenset[int]


SALOON = Model(
    (
        Station(-2.50, 0.42, 0.80, 0.82, 0.70, 0.55),
        Station(-2.44, 0.32, 0.96, 0.98, 0.84, 0.66),
        Station(-2.20, 0.26, 1.03, 1.05, 0.91, 0.70),
        Station(-1.75, 0.24, 1.05, 1.08, 0.94, 0.68),
        Station(-1.20, 0.22, 1.04, 1.36, 0.95, 0.60),
        Station(-0.70, 0.22, 1.02, 1.46, 0.95, 0.58),
        Station(-0.10, 0.22, 1.00, 1.49, 0.95, 0.58),
        Station(0.02, 0.22, 1.00, 1.49, 0.95, 0.58),
        Station(0.45, 0.22, 0.99, 1.46, 0.95, 0.58),
        Station(0.80, 0.22, 0.98, 1.36, 0.95, 0.60),
        Station(1.40, 0.23, 0.97, 1.02, 0.94, 0.68),
        Station(2.00, 0.25, 0.88, 0.91, 0.91, 0.66),
        Station(2.35, 0.28, 0.78, 0.80, 0.82, 0.58),
        Station(2.50, 0.38, 0.62, 0.64, 0.62, 0.45),
    ),
    (-1.48, 1.50),
    0.35,
    frozenset({6}),
)


def _section(s: Station) -> list[tuple[float, float]]:
    """Half a cross-section as (outwards, up) from the sill to the middle of the roof."""
    middle = (s.sill + s.belt) / 2
    return [
        (s.half_width * 0.86, s.sill),
        (s.half_width * 0.96, s.sill + 0.10),
        (s.half_width, middle),
        (s.half_width * 0.985, s.belt - 0.05),
        (s.half_width * 0.95, s.belt),
        (s.half_roof + (s.half_width - s.half_roof) * 0.12, s.belt + (s.roof - s.belt) * 0.86),
        (s.half_roof * 0.86, s.roof - (s.roof - s.belt) * 0.04),
        (0.0, s.roof),
    ]


GLASS_BAND = 4
RIM: Color = (0.10, 0.10, 0.105)


def add_car(scene: Scene, model: Model, place: tuple[float, float, float], heading: float, paint: Color) -> None:
    """A car at a place, its heading in degrees clockwise from north, with its lights on."""
    mesh = scene.mesh("car")
    x, y, z = place
    turn = Placement(x, y, -radians(heading))

    def point(across: float, along: float, up: float) -> tuple[float, float, float]:
        return (*turn(across, along), z + up)

    sections = [(s, _section(s)) for s in model.stations]
    for number, ((a, low), (b, high)) in enumerate(zip(sections, sections[1:])):
        for k in range(len(low) - 1):
            cabin = min(a.roof - a.belt, b.roof - b.belt)
            is_glass = k == GLASS_BAND and cabin > 0.2 and number not in model.pillars
            screen = k > GLASS_BAND and abs(a.roof - b.roof) > 0.08 and max(a.roof - a.belt, b.roof - b.belt) > 0.2
            material = "car glass" if is_glass or screen else "car paint"
            for side in (1, -1):
                corners = [
                    point(side * low[k][0], a.along, low[k][1]),
                    point(side * high[k][0], b.along, high[k][1]),
                    point(side * high[k + 1][0], b.along, high[k + 1][1]),
                    point(side * low[k + 1][0], a.along, low[k + 1][1]),
                ]
                mesh.face(corners if side < 0 else corners[::-1], material, paint)
    for s, section in (sections[0], sections[-1]):
        outline = [point(u, s.along, w) for u, w in section] + [point(-u, s.along, w) for u, w in section[-2::-1]]
        mesh.face(outline, "car paint", paint)
    _add_wheels(mesh, model, point)
    _add_lights(mesh, model, point)
    mesh.build(smooth_angle=32)


def _add_wheels(mesh: MeshBuilder, model: Model, point) -> None:
    """A dark arch, a tyre and a rim for each wheel, as discs slightly outside the body."""
    widest = max(s.half_width for s in model.stations)
    radius = model.wheel_radius
    discs = (
        (radius + 0.05, 0.004, "dark", BLACK),
        (radius, 0.012, "dark", BLACK),
        (radius * 0.62, 0.02, "car paint", RIM),
    )
    for along in model.wheels:
        for side in (1, -1):
            for size, reach, material, color in discs:
                outer, inner = side * (widest + reach), side * (widest + reach - 0.25)
                rim = [(u, max(up, 0.0)) for u, up in circle(along, radius, size, 28)]
                mesh.face([point(outer, u, up) for u, up in rim], material, color)
                for (ua, wa), (ub, wb) in zip(rim, rim[1:] + rim[:1]):
                    mesh.face(
                        [point(outer, ua, wa), point(outer, ub, wb), point(inner, ub, wb), point(inner, ua, wa)], "dark"
                    )


def _add_lights(mesh: MeshBuilder, model: Model, point) -> None:
    """A slim red band across the back and two white lamps in front."""
    rear, front = model.stations[1], model.stations[-2]
    lamps = (
        (0.30, rear.half_width - 0.06, rear.along - 0.075, rear.along - 0.02, rear.belt - 0.14, (2.6, 0.16, 0.06)),
        (0.36, front.half_width - 0.04, front.along + 0.12, front.along + 0.02, front.belt - 0.16, (3.2, 3.0, 2.6)),
    )
    for near, far, along_near, along_far, low, color in lamps:
        for side in (1, -1):
            (a, b), (c, d) = (side * near, along_near), (side * far, along_far)
            mesh.face(
                [point(a, b, low), point(c, d, low), point(c, d, low + 0.075), point(a, b, low + 0.075)],
                "glowing",
                color,
            )
