"""Outdoor furniture: loungers, side tables, parasols and cabanas."""

from math import cos, pi, radians, sin

from mesh import BLACK, Color, MeshBuilder, Placement, circle
from stage import Scene

CUSHION: Color = (0.62, 0.59, 0.54)
PILLOW: Color = (0.40, 0.26, 0.15)
CANVAS: Color = (0.70, 0.65, 0.57)
LANTERN_LIGHT: Color = (4.2, 2.5, 1.1)
RECLINE = radians(38)


def add_slab_between(
    mesh: MeshBuilder,
    place: Placement,
    z: float,
    profile: list[tuple[float, float]],
    x0: float,
    x1: float,
    material: str,
    color: Color = BLACK,
) -> None:
    """A closed profile in (y, z), extruded from x0 to x1."""
    left = [(*place(x0, y), z + up) for y, up in profile]
    right = [(*place(x1, y), z + up) for y, up in profile]
    mesh.face(left, material, color)
    mesh.face(right[::-1], material, color)
    for i in range(len(profile)):
        n = (i + 1) % len(profile)
        mesh.face([left[i], right[i], right[n], left[n]], material, color)


def cushion_profile(y0: float, z0: float, length: float, angle: float, thickness: float) -> list[tuple[float, float]]:
    """A cushion with rounded ends that rises at an angle from (y0, z0)."""
    points = []
    for i in range(7):
        a = -pi / 2 + pi * i / 6
        points.append((length - thickness / 2 + thickness / 2 * cos(a), thickness / 2 + thickness / 2 * sin(a)))
    for i in range(7):
        a = pi / 2 + pi * i / 6
        points.append((thickness / 2 + thickness / 2 * cos(a), thickness / 2 + thickness / 2 * sin(a)))
    return [(y0 + u * cos(angle) - v * sin(angle), z0 + u * sin(angle) + v * cos(angle)) for u, v in points]


def add_lounger(mesh: MeshBuilder, x: float, y: float, z: float, heading: float) -> None:
    """A teak lounger with cushions. Its foot points along `heading` (degrees clockwise from north)."""
    # In local coordinates the foot points towards -y.
    place = Placement(x, y, -radians(heading) + pi)
    for side in (-0.33, 0.27):
        mesh.box(side, -1.0, z + 0.24, side + 0.06, 0.95, z + 0.30, "teak", transform=place)
        for along in (-0.92, 0.80):
            mesh.box(side, along, z, side + 0.06, along + 0.07, z + 0.24, "teak", transform=place)
    for i in range(14):
        along = -0.98 + i * 0.098
        mesh.box(-0.31, along, z + 0.285, 0.31, along + 0.07, z + 0.305, "teak", transform=place)
    add_slab_between(mesh, place, z, cushion_profile(-1.0, 0.31, 1.36, 0.0, 0.10), -0.31, 0.31, "weave", CUSHION)
    add_slab_between(mesh, place, z, cushion_profile(0.32, 0.32, 0.78, RECLINE, 0.10), -0.31, 0.31, "weave", CUSHION)
    head_y, head_z = 0.32 + 0.52 * cos(RECLINE) - 0.10 * sin(RECLINE), 0.32 + 0.52 * sin(RECLINE) + 0.10 * cos(RECLINE)
    add_slab_between(mesh, place, z, cushion_profile(head_y, head_z, 0.24, RECLINE, 0.09), -0.23, 0.23, "weave", PILLOW)
    support = [(0.55, 0.29), (0.60, 0.29), (0.60 + 0.32, 0.62), (0.55 + 0.32, 0.62)]
    for side in (-0.28, 0.24):
        add_slab_between(mesh, place, z, support, side, side + 0.04, "teak")


def add_side_table(mesh: MeshBuilder, x: float, y: float, z: float, lantern: bool = False) -> None:
    """A small round table, with a lantern or with two glasses."""
    mesh.prism(circle(x, y, 0.24, 20), z + 0.40, z + 0.425, "teak", "teak", "teak")
    mesh.tube((x, y, z), (x, y, z + 0.40), 0.035, 0.035, "bronze", 8)
    mesh.prism(circle(x, y, 0.16, 16), z, z + 0.015, "bronze", "bronze")
    if lantern:
        add_lantern(mesh, x, y, z + 0.425)
    else:
        for dx in (-0.08, 0.07):
            mesh.tube((x + dx, y, z + 0.425), (x + dx, y + 0.01, z + 0.55), 0.025, 0.032, "rail", 10)


def add_lantern(mesh: MeshBuilder, x: float, y: float, z: float) -> None:
    mesh.prism(circle(x, y, 0.05, 12), z + 0.015, z + 0.17, "glowing", "glowing", color=LANTERN_LIGHT)
    mesh.prism(circle(x, y, 0.085, 12), z, z + 0.015, "bronze", "bronze")
    mesh.prism(circle(x, y, 0.085, 12), z + 0.22, z + 0.24, "bronze", "bronze", "bronze")
    for i in range(4):
        a = pi / 4 + i * pi / 2
        px, py = x + 0.075 * cos(a), y + 0.075 * sin(a)
        mesh.tube((px, py, z), (px, py, z + 0.22), 0.006, 0.006, "bronze", 5)


def add_parasol(scene: Scene, mesh: MeshBuilder, x: float, y: float, z: float) -> None:
    """A square parasol of 3 m, lit from its mast."""
    half, low, high = 1.55, 2.35, 2.95
    corners = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
    for i in range(4):
        a, b = corners[i], corners[(i + 1) % 4]
        steps = 6
        for k in range(steps):
            rows = []
            for t in (k / steps, (k + 1) / steps):
                # The canvas sags between its ribs.
                up = low + (high - low) * t - 0.10 * sin(pi * t)
                rows.append(
                    [
                        (a[0] + (x - a[0]) * t, a[1] + (y - a[1]) * t, z + up),
                        (b[0] + (x - b[0]) * t, b[1] + (y - b[1]) * t, z + up),
                    ]
                )
            mesh.face([rows[0][0], rows[0][1], rows[1][1], rows[1][0]], "weave", CANVAS)
        mesh.face([(*a, z + low - 0.16), (*b, z + low - 0.16), (*b, z + low), (*a, z + low)], "weave", CANVAS)
        mesh.tube((x, y, z + 2.2), (*a, z + low + 0.01), 0.012, 0.012, "teak", 5)
    mesh.tube((x, y, z), (x, y, z + 3.02), 0.035, 0.03, "teak", 10)
    mesh.prism(circle(x, y, 0.36, 20), z, z + 0.07, "granite", "granite")
    mesh.prism(circle(x, y, 0.06, 12), z + 2.02, z + 2.08, "glowing", "glowing", "bronze", LANTERN_LIGHT)
    scene.lamp(x + 0.2, y - 0.2, z + 2.12, 75, radius=0.12)


def add_cabana(scene: Scene, mesh: MeshBuilder, x: float, y: float, z: float) -> None:
    """A timber frame of 3.6 by 2.8 m, open to the north, with a slatted roof, tied curtains and a day bed."""
    a, b, height = 1.8, 1.35, 2.65
    for px in (-a, a - 0.12):
        for py in (-b, b - 0.12):
            mesh.box(x + px, y + py, z, x + px + 0.12, y + py + 0.12, z + height, "teak")
    for y0 in (-b, b - 0.12):
        mesh.box(x - a, y + y0, z + height, x + a, y + y0 + 0.12, z + height + 0.18, "teak")
    for x0 in (-a, a - 0.12):
        mesh.box(x + x0, y - b + 0.12, z + height, x + x0 + 0.12, y + b - 0.12, z + height + 0.18, "teak")
    for i in range(17):
        py = -b + 0.14 + i * 0.15
        mesh.box(x - a + 0.12, y + py, z + height + 0.06, x + a - 0.12, y + py + 0.05, z + height + 0.16, "teak")
    for px in (-a + 0.06, a - 0.06):
        for py in (-b + 0.06, b - 0.06):
            add_curtain(mesh, x + px, y + py, z, height)
    mesh.box(x - 1.3, y - 0.95, z, x + 1.3, y + 0.75, z + 0.28, "teak")
    place = Placement(x, y)
    add_slab_between(mesh, place, z, cushion_profile(-0.93, 0.28, 1.66, 0.0, 0.17), -1.27, 1.27, "weave", CUSHION)
    for px in (-1.15, -0.5, 0.15, 0.75):
        add_slab_between(
            mesh,
            place,
            z,
            cushion_profile(-0.66, 0.45, 0.42, radians(112), 0.15),
            px,
            px + 0.46,
            "weave",
            PILLOW if px in (-0.5, 0.75) else CUSHION,
        )
    for px in (-a + 0.14, a - 0.18):
        mesh.box(
            x + px, y - b + 0.2, z + height - 0.03, x + px + 0.04, y + b - 0.2, z + height, "glowing", (2.2, 1.35, 0.65)
        )
    mesh.prism(circle(x, y, 0.11, 20), z + 2.08, z + 2.30, "glowing", "glowing", "glowing", (1.3, 0.78, 0.38))
    mesh.tube((x, y, z + 2.30), (x, y, z + height + 0.1), 0.01, 0.01, "dark", 5)
    scene.lamp(x, y + 0.1, z + 2.15, 95, radius=0.2)


def add_curtain(mesh: MeshBuilder, x: float, y: float, z: float, height: float) -> None:
    """A curtain tied to its post: full at the top, narrow at the tie, wider again below."""
    rows = []
    for i in range(13):
        t = i / 12
        radius = 0.09 + 0.16 * abs(t - 0.45) ** 1.3 * 1.6
        ring = []
        for k in range(24):
            fold = 1 + 0.16 * sin(k * pi / 24 * 2 * 7)
            ring.append(
                (
                    x + radius * fold * cos(2 * pi * k / 24),
                    y + radius * fold * sin(2 * pi * k / 24),
                    z + 0.03 + t * (height - 0.05),
                )
            )
        rows.append(ring)
    for low, high in zip(rows, rows[1:]):
        for k in range(24):
            n = (k + 1) % 24
            mesh.face([low[k], low[n], high[n], high[k]], "weave", CANVAS)
