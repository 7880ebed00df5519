"""Small objects in rooms: on tables, on walls, and objects that residents left."""

from math import cos, pi, sin

from interior.piece import Piece

# Colours of cloth from the site's palette: bone, clay, rain-tree green.
BONE, SAND = (0.70, 0.655, 0.58), (0.50, 0.43, 0.34)
CLAY, GREEN = (0.42, 0.22, 0.12), (0.075, 0.105, 0.075)


def painting(piece: Piece, width: float, height: float, bottom: float) -> None:
    half = width / 2
    place = (piece.random.random(), piece.random.random(), piece.random.random())
    piece.box(-half, 0.006, bottom, half, 0.030, bottom + height, "canvas", place)
    for x0, z0, x1, z1 in (
        (-half - 0.014, bottom - 0.014, -half, bottom + height + 0.014),
        (half, bottom - 0.014, half + 0.014, bottom + height + 0.014),
        (-half, bottom - 0.014, half, bottom),
        (-half, bottom + height, half, bottom + height + 0.014),
    ):
        piece.box(x0, 0.004, z0, x1, 0.042, z1, "oak")


def spray(piece: Piece, x: float, v: float, z: float, height: float, count: int, length: float, breadth: float) -> None:
    """A spray of broad leaves on thin stems, like those of a rubber fig."""
    for k in range(count):
        share = (k + 0.5) / count
        turn = 2.4 * k + piece.random.uniform(-0.3, 0.3)
        rise = height * (0.25 + 0.75 * share) * piece.random.uniform(0.9, 1.05)
        out = 0.05 + 0.20 * (1 - share) * height
        tip = (x + cos(turn) * out, v + sin(turn) * out, z + rise)
        size = length * piece.random.uniform(0.75, 1.1)
        end = out + size + 0.08
        if not piece.is_in_room(x + cos(turn) * end, v + sin(turn) * end):
            # Towards the room, because a leaf would grow through the wall.
            turn += pi
            tip = (x + cos(turn) * out, v + sin(turn) * out, z + rise)
        piece.soft.tube(
            (x + cos(turn) * 0.015, -v - sin(turn) * 0.015, z - 0.02),
            (tip[0], -tip[1], tip[2]),
            0.006,
            0.003,
            "bark",
            6,
        )
        lift = piece.random.uniform(0.15, 0.75)
        shade = piece.random.uniform(0.0, 0.55)
        rows = []
        for i in range(17):
            t = i / 16
            wide = breadth * sin(pi * min(1.0, t * 0.93 + 0.04)) ** 0.75
            run = size * t
            droop = lift * run - 1.5 * run * run
            row = []
            for j in (-1, -0.67, -0.33, 0, 0.33, 0.67, 1):
                px = tip[0] + cos(turn) * run - sin(turn) * wide / 2 * j
                pv = tip[1] + sin(turn) * run + cos(turn) * wide / 2 * j
                row.append((px, pv, tip[2] + droop + 0.12 * wide * abs(j)))
            rows.append(row)
        piece.grid(rows, "leaf", (shade, shade, shade))


def vase(piece: Piece, x: float, v: float, z: float, height: float, leaves: bool = False) -> None:
    h = height
    piece.turned(
        x,
        v,
        z,
        [
            (h * 0.22, 0),
            (h * 0.36, h * 0.25),
            (h * 0.38, h * 0.45),
            (h * 0.24, h * 0.75),
            (h * 0.13, h * 0.88),
            (h * 0.16, h),
            (h * 0.14, h),
            (h * 0.10, h * 0.86),
            (0, h * 0.80),
        ],
        "ceramic",
        (0.62, 0.56, 0.48),
        smooth=True,
    )
    if leaves:
        spray(piece, x, v, z + h * 0.8, 0.45, 11, 0.17, 0.055)


def bowl(piece: Piece, x: float, v: float, z: float, fruit: bool = False) -> None:
    piece.turned(
        x,
        v,
        z,
        [
            (0.06, 0),
            (0.065, 0.01),
            (0.14, 0.05),
            (0.17, 0.085),
            (0.163, 0.085),
            (0.13, 0.055),
            (0.05, 0.02),
            (0, 0.018),
        ],
        "ceramic",
        (0.10, 0.085, 0.07),
        smooth=True,
    )
    if fruit:
        for k, (dx, dv, dz) in enumerate(
            ((-0.06, 0.02, 0.075), (0.05, 0.05, 0.075), (0.02, -0.06, 0.075), (0.0, 0.01, 0.135))
        ):
            r = 0.042
            ball = [(r * sin(pi * i / 12), r - r * cos(pi * i / 12)) for i in range(13)]
            piece.turned(
                x + dx, v + dv, z + dz - r, ball, "lacquer", (0.52, 0.30, 0.05) if k % 2 else (0.40, 0.36, 0.06)
            )


def cup(piece: Piece, x: float, v: float, z: float) -> None:
    piece.turned(
        x,
        v,
        z,
        [
            (0.075, 0),
            (0.08, 0.006),
            (0.03, 0.010),
            (0.028, 0.012),
            (0.04, 0.03),
            (0.043, 0.07),
            (0.040, 0.07),
            (0.037, 0.058),
            (0, 0.058),
        ],
        "ceramic",
        (0.78, 0.75, 0.70),
    )
    piece.turned(x, v, z + 0.0585, [(0.036, 0), (0, 0)], "lacquer", (0.05, 0.022, 0.01))


def books(piece: Piece, x: float, v: float, z: float, count: int) -> None:
    """A stack of books, the top one askew."""
    colors = ((0.60, 0.55, 0.47), (0.08, 0.11, 0.085), (0.33, 0.16, 0.08), (0.72, 0.69, 0.63), (0.06, 0.06, 0.065))
    for k in range(count):
        w, d, h = 0.125 - 0.012 * k, 0.095 - 0.008 * k, (0.034, 0.022, 0.028, 0.018)[k % 4]
        slip = piece.random.uniform(-0.015, 0.015)
        color = colors[(k + int(abs(x) * 40)) % len(colors)]
        piece.box(x - w + slip, v - d, z, x + w + slip, v + d, z + 0.003, "lacquer", color)
        piece.box(
            x - w + 0.004 + slip,
            v - d + 0.004,
            z + 0.003,
            x + w - 0.004 + slip,
            v + d - 0.004,
            z + h - 0.003,
            "lacquer",
            (0.74, 0.71, 0.64),
        )
        piece.box(x - w + slip, v - d, z + h - 0.003, x + w + slip, v + d, z + h, "lacquer", color)
        piece.box(x - w + slip, v - d, z, x + w + slip, v - d + 0.003, z + h, "lacquer", color)
        z += h


def lamp(piece: Piece, x: float, v: float, z: float, small: bool = False) -> None:
    """A table lamp: a turned foot and a drum of linen."""
    h = 0.24 if small else 0.32
    piece.turned(
        x,
        v,
        z,
        [
            (0.07, 0),
            (0.07, 0.012),
            (0.016, 0.03),
            (0.05, h * 0.45),
            (0.055, h * 0.6),
            (0.012, h * 0.92),
            (0.012, h + 0.03),
        ],
        "ceramic",
        (0.20, 0.185, 0.165),
        smooth=True,
    )
    r, s = (0.12, 0.17) if small else (0.17, 0.23)
    piece.turned(x, v, z + h, [(r, 0), (r * 0.86, s), (r * 0.855, s), (r * 0.995, 0)], "lampshade", (1.7, 1.12, 0.62))
    piece.light(x, v, z + h + s * 0.5, 9.0, 0.06)


def coat(piece: Piece, width: float, depth: float, item: dict) -> None:
    """A throw over an armrest or a chair: `depth` is the depth of the support, `width` its height."""
    z = width
    path = [
        (-0.045, z - 0.36),
        (-0.04, z),
        (0.0, z + 0.035),
        (depth, z + 0.035),
        (depth + 0.04, z),
        (depth + 0.045, z - 0.16),
    ]
    piece.cloth(path, -0.24, 0.24, "wool", CLAY, wrinkle=0.015, scale=5)


def reading(piece: Piece, width: float, depth: float, item: dict) -> None:
    """An open book with a cup beside it. `width` is the height of the support."""
    z = width
    for side in (-1, 1):
        rows = [
            [
                (side * 0.15 * k / 12, v, z + 0.012 + 0.014 * sin(pi * min(1, k / 12 * 0.9)) * (1 - k / 14))
                for k in range(13)
            ]
            for v in (-0.11, 0.11)
        ]
        piece.grid(rows, "lacquer", (0.80, 0.775, 0.72))
        piece.box(min(0, side * 0.155), -0.115, z, max(0, side * 0.155), 0.115, z + 0.006, "lacquer", GREEN)
    cup(piece, 0.28, 0.02, z)
