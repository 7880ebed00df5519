"""Furniture for the symbols of the floor plans."""

from collections.abc import Callable
from math import cos, pi, sin

from mathutils import Vector
from mathutils.noise import noise

from interior.piece import Piece
from interior.things import BONE, CLAY, GREEN, SAND, books, bowl, coat, cup, lamp, painting, reading, spray, vase

# The depth of a sofa's long seat.
CHAISE = 1.6
# From the edge of a round table to the middle of a seat, as in the plan's symbol.
AROUND = 0.115
# From where `chair` begins to the middle of its seat.
SEAT_MIDDLE_DEPTH = 0.48 * 0.15


def sofa(piece: Piece, width: float, depth: float, item: dict) -> None:
    arm, base = 0.17, 0.14
    half = width / 2
    for x in (-half + 0.10, half - 0.10):
        for v in (0.08, depth - 0.08):
            piece.leg(x, v, 0, base, 0.018, "dark bronze")
    piece.cushion((0, depth / 2, base + 0.09), (width - 0.02, depth - 0.03, 0.18), color=BONE, radius=0.03, crown=0)
    piece.cushion((0, 0.11, 0.46), (width - 0.02, 0.20, 0.58), color=BONE, radius=0.06, crown=0.004, tilt=(-4, 0, 0))
    for side in (-1, 1):
        piece.cushion(
            (side * (half - arm / 2), depth / 2 + 0.02, 0.42),
            (arm, depth - 0.06, 0.40),
            color=BONE,
            radius=0.06,
            crown=0.01,
        )
    seats = max(2, round((width - 2 * arm) / 0.78))
    each = (width - 2 * arm) / seats
    long_seat = {"left": 0, "right": seats - 1}.get(item.get("chaise"))
    if long_seat is not None:
        x = -half + arm + each * (long_seat + 0.5)
        piece.cushion(
            (x, (depth + CHAISE) / 2 - 0.1, base + 0.09),
            (each - 0.01, CHAISE - depth + 0.17, 0.18),
            color=BONE,
            radius=0.03,
            crown=0,
        )
        for dx in (-0.26, 0.26):
            piece.leg(x + dx, CHAISE - 0.10, 0, base, 0.018, "dark bronze")
    for k in range(seats):
        x = -half + arm + each * (k + 0.5)
        front = CHAISE if k == long_seat else depth
        piece.cushion(
            (x, 0.20 + (front - 0.20) / 2 + 0.01, 0.40),
            (each - 0.006, front - 0.19, 0.17),
            color=BONE,
            radius=0.055,
            crown=0.03,
        )
        piece.cushion(
            (x, 0.27, 0.62),
            (each - 0.02, 0.17, 0.36),
            color=BONE,
            radius=0.07,
            crown=0.01,
            crease=0.010,
            tilt=(-14, 0, 0),
        )
    piece.pillow((-half + arm + 0.24, 0.40, 0.70), 0.48, 0.46, 0.16, GREEN, lean=-24, turn=14)
    piece.pillow((-half + arm + 0.62, 0.43, 0.66), 0.55, 0.34, 0.13, SAND, lean=-28, turn=4, material="boucle")
    piece.pillow((half - arm - 0.26, 0.41, 0.69), 0.46, 0.45, 0.15, CLAY, lean=-22, turn=-16)


def armchair(piece: Piece, width: float, depth: float, item: dict) -> None:
    """A shell of boucle on a timber frame."""
    half = width / 2
    for x, v in ((-half + 0.09, 0.10), (half - 0.09, 0.10), (-half + 0.09, depth - 0.10), (half - 0.09, depth - 0.10)):
        piece.leg(x, v, 0, 0.30, 0.022, "walnut veneer", 0.014)
    piece.cushion(
        (0, depth / 2 + 0.06, 0.34), (width - 0.18, depth - 0.16, 0.19), "boucle", BONE, radius=0.08, crown=0.025
    )
    rows = []
    for z in (0.24, 0.30, 0.42, 0.55, 0.64, 0.68, 0.64, 0.55, 0.42, 0.30):
        inner = len(rows) > 5
        row = []
        for k in range(33):
            angle = pi * (1.08 - 1.16 * k / 32)
            low = abs(k - 16) / 16
            reach = 1 - (0.13 if inner else 0.0)
            row.append(
                (
                    cos(angle) * half * reach,
                    depth * 0.56 - sin(angle) * depth * 0.56 * reach,
                    0.24 + (z - 0.24) * (1 - 0.42 * low**2),
                )
            )
        rows.append(row)
    piece.grid(rows + [rows[0]], "boucle", BONE)


def coffee_table(piece: Piece, width: float, depth: float, item: dict) -> None:
    piece.box(-width / 2, 0, 0.30, width / 2, depth, 0.34, "travertine")
    for x in (-width * 0.30, width * 0.30):
        piece.box(x - 0.05, 0.06, 0.0, x + 0.05, depth - 0.06, 0.30, "travertine")


def side_table(piece: Piece, width: float, depth: float, item: dict) -> None:
    piece.turned(
        0,
        depth / 2,
        0,
        [
            (width * 0.36, 0),
            (width * 0.36, 0.015),
            (0.02, 0.03),
            (0.02, 0.47),
            (width / 2, 0.47),
            (width / 2, 0.49),
            (0, 0.49),
        ],
        "dark bronze",
    )


def rug(piece: Piece, width: float, depth: float, item: dict) -> None:
    piece.cushion(
        (0, depth / 2, 0.009),
        (width + 0.35, depth + 0.25, 0.018),
        "rug",
        (0.46, 0.405, 0.33),
        radius=0.008,
        crown=0,
        crease=0.0015,
    )


def media(piece: Piece, width: float, depth: float, item: dict) -> None:
    """A wall-mounted low cabinet below a screen."""
    half = width / 2
    piece.box(-half, 0, 0.24, half, depth, 0.56, "walnut")
    for k in range(1, 4):
        x = -half + width * k / 4
        piece.box(x - 0.0015, depth - 0.002, 0.25, x + 0.0015, depth + 0.0005, 0.55, "dark bronze")
    wide = min(1.45, width - 0.3)
    piece.box(-wide / 2, 0.012, 0.92, wide / 2, 0.045, 0.92 + wide * 0.5625, "screen")
    books(piece, -half + 0.22, depth * 0.45, 0.56, 4)
    vase(piece, half - 0.22, depth * 0.5, 0.56, 0.24)


def shelf(piece: Piece, width: float, depth: float, item: dict) -> None:
    """A sideboard below a painting."""
    half = width / 2
    piece.box(-half, 0, 0.12, half, depth, 0.74, "walnut veneer")
    piece.box(-half, 0, 0.74, half, depth, 0.77, "walnut")
    for x in (-half + 0.06, half - 0.10):
        piece.box(x, 0.05, 0, x + 0.04, depth - 0.05, 0.12, "dark bronze")
    count = max(2, round(width / 0.5))
    for k in range(1, count):
        x = -half + width * k / count
        piece.box(x - 0.0015, depth - 0.002, 0.14, x + 0.0015, depth + 0.0005, 0.73, "dark bronze")
    lamp(piece, -half + 0.22, depth / 2, 0.77)
    vase(piece, half - 0.20, depth / 2, 0.77, 0.30)
    books(piece, half - 0.52, depth / 2, 0.77, 3)
    painting(piece, min(width * 0.75, 1.2), 0.9, 1.02)


def picture(piece: Piece, width: float, depth: float, item: dict) -> None:
    """A painting on the wall at the back edge."""
    painting(piece, width, item["height"], 1.22)


def flowers(piece: Piece, width: float, depth: float, item: dict) -> None:
    """A vase with leaves. `width` is the height of the support."""
    vase(piece, 0, 0, width, 0.22, leaves=True)


def dining(piece: Piece, width: float, depth: float, item: dict) -> None:
    half = width / 2
    piece.box(-half, 0, 0.715, half, depth, 0.745, "oak")
    for x in (-half * 0.62, half * 0.62):
        piece.turned(
            x, depth / 2, 0, [(0.20, 0), (0.19, 0.02), (0.13, 0.30), (0.12, 0.55), (0.17, 0.715)], "oak veneer"
        )
    seats = item.get("seats", 4) // 2
    for k in range(seats):
        x = width * ((k + 0.5) / seats - 0.5)
        pull = 0.10 if k == seats - 1 else 0.0
        chair(piece, x, -0.16, 1)
        chair(piece, x, depth + 0.16 + pull, -1)
    bowl(piece, 0.05, depth / 2, 0.745)
    for k in (0, 1):
        vase(piece, -0.42 - 0.14 * k, depth / 2 + 0.05 * k, 0.745, 0.16 - 0.05 * k)


def chair(piece: Piece, x: float, v: float, facing: int) -> None:
    """A chair whose seat begins at v. `facing` is 1 towards the front, -1 towards the back."""
    depth = 0.48 * facing
    v0 = v - SEAT_MIDDLE_DEPTH * facing
    for dx in (-0.20, 0.20):
        piece.leg(x + dx, v0 - depth * 0.38, 0, 0.57, 0.016, "walnut veneer", 0.012, (0, -0.04 * facing))
        piece.leg(x + dx, v0 + depth * 0.42, 0, 0.44, 0.016, "walnut veneer", 0.012)
    piece.cushion((x, v0, 0.455), (0.46, 0.46, 0.07), "linen", SAND, radius=0.03, crown=0.012)
    rows = []
    for z, push in (
        (0.56, 0),
        (0.60, 0.008),
        (0.70, 0.012),
        (0.77, 0.010),
        (0.79, 0.0),
        (0.77, -0.03),
        (0.70, -0.034),
        (0.60, -0.03),
        (0.56, 0),
    ):
        rows.append(
            [
                (x + 0.25 * sin(t * 1.05), v0 - facing * (0.10 + 0.13 * cos(t * 1.05) - push), z)
                for t in (-1 + 2 * k / 20 for k in range(21))
            ]
        )
    piece.grid(rows, "linen", SAND)


def stool(piece: Piece, x: float, v: float) -> None:
    for dx in (-0.17, 0.17):
        for dv in (-0.14, 0.14):
            piece.leg(x + dx * 0.8, v + dv * 0.8, 0, 0.62, 0.013, "walnut veneer", 0.011, (dx * 0.25, dv * 0.25))
    piece.cushion((x, v, 0.655), (0.42, 0.38, 0.07), "linen", SAND, radius=0.03, crown=0.012)
    piece.cushion((x, v + 0.20, 0.80), (0.42, 0.05, 0.16), "linen", SAND, radius=0.02, crown=0)


def bed(piece: Piece, width: float, depth: float, item: dict) -> None:
    half = width / 2
    piece.box(-half - 0.02, 0.12, 0.10, half + 0.02, depth, 0.30, "walnut")
    panels = 4
    wide = width + 0.10
    for k in range(panels):
        x = wide * ((k + 0.5) / panels - 0.5)
        piece.cushion((x, 0.045, 0.62), (wide / panels - 0.004, 0.09, 1.10), color=SAND, radius=0.03, crown=0)
    piece.cushion(
        (0, 0.12 + (depth - 0.12) / 2, 0.42),
        (width, depth - 0.14, 0.26),
        color=(0.80, 0.78, 0.74),
        radius=0.07,
        crown=0.01,
    )
    duvet(piece, half, 0.62, depth + 0.01, 0.575, (0.76, 0.735, 0.69))
    turndown(piece, half, 0.48, 0.86, 0.60, (0.82, 0.81, 0.78))
    throw(piece, half, depth - 0.62, depth - 0.10, 0.605, GREEN)
    pairs = (-1, 1) if width > 1.2 else (0,)
    for side in pairs:
        x = side * half * 0.5
        piece.pillow(
            (x, 0.24, 0.80),
            (half if side else 1.5 * half) * 0.94,
            0.50,
            0.19,
            (0.83, 0.82, 0.79),
            lean=-30,
            turn=side * 2,
        )
        piece.pillow(
            (x * 1.02, 0.40, 0.75),
            (half if side else 1.5 * half) * 0.88,
            0.44,
            0.18,
            (0.76, 0.735, 0.69),
            lean=-38,
            turn=-side * 3,
        )
    piece.pillow((0.03, 0.56, 0.72), 0.62, 0.30, 0.13, CLAY, lean=-40, turn=3)


def drape(
    half: float, v0: float, v1: float, z: float, drop: float, foot: bool
) -> list[list[tuple[float, float, float]]]:
    """A sheet over a mattress: flat on top, round at its edges, down both sides and over the foot."""
    rows = []
    for k in range(121):
        v = v0 + (v1 - v0 + (drop if foot else 0.0)) * k / 120
        over = max(0.0, v - (v1 - 0.06)) if foot else 0.0
        base = z - max(0.0, over - 0.02)
        row = []
        for j in range(161):
            s = (half + drop) * (2 * j / 160 - 1)
            beyond = max(0.0, abs(s) - half + 0.05)
            curl = min(beyond, 0.10)
            x = (min(abs(s), half - 0.05) + 0.075 * sin(min(1.0, curl / 0.10) * pi / 2)) * (1 if s > 0 else -1)
            down = 0.05 * (1 - cos(min(1.0, curl / 0.10) * pi / 2)) + max(0.0, beyond - 0.10)
            row.append(
                (
                    x,
                    min(v, v1 + 0.02 * min(1.0, over / 0.05)),
                    max(0.10, min(base, z - down) if not foot else min(base, z) - down),
                )
            )
        rows.append(row)
    return rows


def wrinkled(piece: Piece, rows, amount: float, scale: float):
    seed = Vector((piece.random.uniform(-50, 50), piece.random.uniform(-50, 50), 0))
    bent = []
    for row in rows:
        out = []
        for x, v, z in row:
            broad = noise(Vector((x * scale, v * scale * 0.8, z * scale)) + seed)
            fine = noise(Vector((x * scale * 2.3 + v * 2, v * scale * 1.6, z * scale * 2)) + seed)
            # Few creases on a pressed sheet, each a narrow ridge.
            lift = amount * (broad + 0.40 * (1 - abs(fine)) ** 8)
            out.append((x + lift * 0.5, v + lift * 0.2, z + lift))
        bent.append(out)
    return bent


def duvet(piece: Piece, half: float, v0: float, v1: float, z: float, color) -> None:
    piece.grid(wrinkled(piece, drape(half + 0.05, v0, v1, z + 0.02, 0.30, True), 0.016, 1.7), "linen", color)


def turndown(piece: Piece, half: float, v0: float, v1: float, z: float, color) -> None:
    piece.grid(wrinkled(piece, drape(half + 0.065, v0, v1, z + 0.022, 0.27, False), 0.009, 2.2), "linen", color)


def throw(piece: Piece, half: float, v0: float, v1: float, z: float, color) -> None:
    piece.grid(wrinkled(piece, drape(half + 0.09, v0, v1, z + 0.03, 0.34, False), 0.009, 2.4), "wool", color)


def nightstand(piece: Piece, width: float, depth: float, item: dict) -> None:
    half = width / 2
    piece.box(-half, 0.09, 0.20, half, depth + 0.04, 0.46, "walnut")
    piece.box(-half + 0.005, depth + 0.039, 0.328, half - 0.005, depth + 0.0415, 0.332, "dark bronze")
    lamp(piece, 0.0, 0.24, 0.46, small=True)
    books(piece, half - 0.10, 0.32, 0.46, 2)


def wardrobe(piece: Piece, width: float, depth: float, item: dict) -> None:
    half, height = width / 2, 2.6
    piece.box(-half, 0, 0, half, depth, height, "oak veneer")
    count = max(2, round(width / 0.6))
    for k in range(1, count):
        x = -half + width * k / count
        piece.box(x - 0.0015, depth - 0.001, 0.06, x + 0.0015, depth + 0.0006, height - 0.02, "dark bronze")
        piece.box(x + 0.015, depth, 0.95, x + 0.023, depth + 0.022, 1.35, "brass")


def desk(piece: Piece, width: float, depth: float, item: dict) -> None:
    half = width / 2
    piece.box(-half, 0, 0.71, half, depth, 0.735, "walnut")
    for x in (-half + 0.03, half - 0.05):
        piece.box(x, 0.04, 0, x + 0.02, depth - 0.04, 0.71, "dark bronze")
    chair(piece, 0.0, depth + 0.16, -1)
    lamp(piece, -half + 0.18, depth * 0.45, 0.735, small=True)
    books(piece, half - 0.25, depth * 0.45, 0.735, 3)


def bench(piece: Piece, width: float, depth: float, item: dict) -> None:
    half = width / 2
    for x in (-half + 0.10, half - 0.10):
        piece.box(x - 0.02, 0.05, 0, x + 0.02, depth - 0.05, 0.34, "walnut")
    piece.cushion((0, depth / 2, 0.40), (width, depth, 0.12), "boucle", BONE, radius=0.05, crown=0.01)


def round_table(piece: Piece, width: float, depth: float, item: dict) -> None:
    r = width / 2
    piece.turned(
        0,
        r,
        0,
        [
            (r * 0.55, 0),
            (r * 0.52, 0.02),
            (0.03, 0.05),
            (0.03, 0.70),
            (r * 0.98, 0.71),
            (r, 0.72),
            (r, 0.735),
            (0, 0.735),
        ],
        "travertine",
    )
    seats = item.get("seats", 2)
    for k in range(seats):
        # As in the plan's symbol: the first on the right, then clockwise on the page.
        seat = Piece(
            piece.scene, piece.flat, f"{piece.name} chair {k}", piece.on_page(0, r), piece.turn + 90 + 360 * k / seats
        )
        chair(seat, 0.0, SEAT_MIDDLE_DEPTH - r - AROUND, 1)
        seat.build()
    cup(piece, r * 0.35, r * 0.9, 0.735)


def counter(piece: Piece, width: float, depth: float, item: dict) -> None:
    """Base cabinets, a stone top and splashback, and wall cabinets with light below them."""
    half = width / 2
    piece.box(-half, 0, 0.09, half, depth - 0.02, 0.88, "walnut veneer")
    piece.box(-half, 0.05, 0, half, depth - 0.08, 0.09, "dark bronze")
    piece.box(-half, 0, 0.88, half, depth + 0.01, 0.91, "marble")
    piece.box(-half, 0, 0.91, half, 0.015, 1.50, "marble")
    piece.box(-half, 0, 1.50, half, 0.34, 2.45, "oak veneer")
    piece.hard.box(-half + 0.03, -0.30, 1.492, half - 0.03, -0.27, 1.499, "glowing", (9.0, 6.4, 3.9))
    count = max(1, round(width / 0.6))
    for k in range(1, count):
        x = -half + width * k / count
        piece.box(x - 0.0015, depth - 0.021, 0.10, x + 0.0015, depth - 0.0185, 0.87, "dark bronze")
        piece.box(x - 0.0015, 0.339, 1.51, x + 0.0015, 0.3415, 2.44, "dark bronze")
    piece.box(-half, depth - 0.021, 0.845, half, depth - 0.018, 0.865, "dark bronze")


def sink(piece: Piece, width: float, depth: float, item: dict) -> None:
    piece.box(-0.26, 0.12, 0.909, 0.26, 0.50, 0.912, "dark bronze")
    piece.leg(0.0, 0.08, 0.91, 1.24, 0.013, "brass")
    path = [(0.08 + 0.10 * (1 - cos(a)), 1.24 + 0.10 * sin(a)) for a in (pi * k / 10 for k in range(11))]
    for (v0, z0), (v1, z1) in zip(path, path[1:]):
        piece.soft.tube((0, -v0, z0), (0, -v1, z1), 0.011, 0.011, "brass", 12)


def hob(piece: Piece, width: float, depth: float, item: dict) -> None:
    piece.box(-0.29, 0.06, 0.910, 0.29, 0.55, 0.916, "screen")
    piece.turned(
        -0.12,
        0.22,
        0.916,
        [(0.10, 0), (0.105, 0.01), (0.105, 0.11), (0.11, 0.115), (0.02, 0.13), (0.02, 0.15), (0, 0.155)],
        "ceramic",
        GREEN,
    )


def tall(piece: Piece, width: float, depth: float, item: dict) -> None:
    half = width / 2
    piece.box(-half, 0, 0, half, depth, 2.45, "oak veneer")
    piece.box(-half + 0.005, depth, 0.95, half - 0.005, depth + 0.008, 1.53, "screen")
    piece.box(-half + 0.06, depth + 0.008, 1.47, half - 0.06, depth + 0.035, 1.485, "brass")


def fridge(piece: Piece, width: float, depth: float, item: dict) -> None:
    half = width / 2
    piece.box(-half, 0, 0, half, depth - 0.04, 2.45, "oak veneer")
    piece.box(-0.0015, depth - 0.041, 0.06, 0.0015, depth - 0.0385, 2.43, "dark bronze")
    for x in (-0.03, 0.018):
        piece.box(x, depth - 0.04, 0.9, x + 0.012, depth - 0.005, 1.6, "brass")


def island(piece: Piece, width: float, depth: float, item: dict) -> None:
    half = width / 2
    piece.box(-half, 0, 0.86, half, depth, 0.91, "marble")
    piece.box(-half, 0, 0, -half + 0.05, depth, 0.86, "marble")
    piece.box(half - 0.05, 0, 0, half, depth, 0.86, "marble")
    piece.box(-half + 0.05, 0.02, 0.06, half - 0.05, depth - 0.30, 0.86, "walnut veneer")
    seats = item.get("seats", 0)
    for k in range(seats):
        stool(piece, width * ((k + 0.5) / seats - 0.5), depth + 0.06)
    bowl(piece, half * 0.45, depth * 0.45, 0.91, fruit=True)
    vase(piece, -half * 0.62, depth * 0.42, 0.91, 0.26, leaves=True)
    cup(piece, -0.08, depth * 0.72, 0.91)
    books(piece, 0.16, depth * 0.74, 0.91, 1)
    for k in range(2):
        pendant(piece, half * (k - 0.5) * 1.0, depth / 2, 1.72)


def pendant(piece: Piece, x: float, v: float, z: float) -> None:
    piece.turned(
        x,
        v,
        z,
        [(0.0, 0.0), (0.07, 0.012), (0.115, 0.06), (0.12, 0.11), (0.09, 0.16), (0.03, 0.19), (0, 0.19)],
        "lampshade",
        (2.6, 1.8, 1.05),
        smooth=True,
    )
    piece.leg(x, v, z + 0.19, piece.flat.ceiling, 0.003, "dark bronze")
    piece.light(x, v, z - 0.1, 14.0, 0.08)


def plant(piece: Piece, width: float, depth: float, item: dict) -> None:
    piece.turned(
        0,
        depth / 2,
        0,
        [
            (width * 0.34, 0),
            (width * 0.46, 0.16),
            (width * 0.47, 0.34),
            (width * 0.42, 0.42),
            (width * 0.38, 0.42),
            (width * 0.37, 0.36),
            (0, 0.36),
        ],
        "ceramic",
        (0.20, 0.185, 0.165),
    )
    spray(piece, 0, depth / 2, 0.38, 1.15, 26, 0.34, 0.15)


def planter(piece: Piece, width: float, depth: float, item: dict) -> None:
    half = width / 2
    piece.box(-half, 0, 0, half, depth, 0.45, "facade stone")
    count = int(width / 0.28)
    for k in range(count):
        spray(piece, -half + width * (k + 0.5) / count, depth / 2, 0.42, 0.42, 12, 0.20, 0.07)


def lounger(piece: Piece, width: float, depth: float, item: dict) -> None:
    half = width / 2
    piece.box(-half, 0.05, 0.18, half, depth, 0.23, "balcony deck")
    for x in (-half + 0.03, half - 0.08):
        for v in (0.15, depth - 0.2):
            piece.box(x, v, 0, x + 0.05, v + 0.05, 0.18, "balcony deck")
    piece.cushion((0, depth / 2 + 0.28, 0.29), (width - 0.06, depth - 0.62, 0.11), color=BONE, radius=0.04, crown=0.006)
    piece.cushion((0, 0.34, 0.46), (width - 0.06, 0.68, 0.11), color=BONE, radius=0.04, crown=0.006, tilt=(32, 0, 0))


def ring(piece: Piece, width: float, depth: float, item: dict) -> None:
    """A ring-shaped pendant lamp."""
    r, z = width / 2, item["height"]
    piece.turned(0, r, z, [(r, 0), (r, 0.05), (r - 0.03, 0.05), (r - 0.03, 0), (r, 0)], "brass", sides=96, caps=False)
    piece.turned(
        0, r, z - 0.004, [(r - 0.004, 0.0), (r - 0.026, 0.0)], "glowing", (14.0, 10.2, 6.4), sides=96, caps=False
    )
    for k in range(3):
        a = 2 * pi * k / 3
        piece.leg(r * cos(a) * 0.98, r + r * sin(a) * 0.98, z + 0.05, piece.flat.ceiling, 0.002, "dark bronze")
    for k in range(6):
        piece.light(r * cos(pi * k / 3), r + r * sin(pi * k / 3), z - 0.08, 7.0, 0.12)


def floor_lamp(piece: Piece, width: float, depth: float, item: dict) -> None:
    piece.turned(0, 0, 0, [(0.15, 0), (0.15, 0.015), (0.012, 0.02), (0.012, 1.30)], "dark bronze")
    piece.turned(0, 0, 1.26, [(0.22, 0), (0.19, 0.30), (0.188, 0.30), (0.217, 0)], "lampshade", (1.9, 1.25, 0.68))
    piece.light(0, 0, 1.40, 12.0, 0.08)


def reception(piece: Piece, width: float, depth: float, item: dict) -> None:
    """A stone desk with flowers."""
    half = width / 2
    piece.box(-half, 0.10, 0, half, depth, 1.02, "marble")
    piece.box(-half - 0.05, 0, 1.02, half + 0.05, depth + 0.05, 1.07, "walnut")
    piece.hard.box(-half + 0.02, -depth - 0.012, 0.03, half - 0.02, -depth, 0.05, "glowing", (7.0, 4.9, 2.9))
    vase(piece, half - 0.45, depth * 0.5, 1.07, 0.36, leaves=True)
    lamp(piece, -half + 0.35, depth * 0.5, 1.07)
    books(piece, 0.1, depth * 0.55, 1.07, 2)


def slats(piece: Piece, width: float, depth: float, item: dict) -> None:
    """Timber slats in front of a wall, with light from above."""
    height = item["height"]
    for k in range(int(width / 0.09)):
        x = -width / 2 + 0.09 * k
        piece.box(x, 0.02, 0.0, x + 0.05, 0.07, height, "oak veneer")
    piece.hard.box(-width / 2, -0.16, height + 0.02, width / 2, -0.13, height + 0.03, "glowing", (12.0, 8.5, 5.0))


def washer(piece: Piece, width: float, depth: float, item: dict) -> None:
    half = width / 2 - 0.01
    piece.box(-half, 0.02, 0, half, depth - 0.02, 0.85, "lacquer", (0.78, 0.77, 0.75))
    piece.box(-half, depth - 0.02, 0.72, half, depth - 0.012, 0.84, "screen")
    for k in range(24):
        a, b = 2 * pi * k / 24, 2 * pi * (k + 1) / 24
        start, end = ((0.17 * cos(t), 0.4 + 0.17 * sin(t)) for t in (a, b))
        piece.soft.tube(
            (start[0], -depth + 0.012, start[1]), (end[0], -depth + 0.012, end[1]), 0.016, 0.016, "dark bronze", 10
        )


def basin(piece: Piece, width: float, depth: float, item: dict) -> None:
    """A cabinet with a stone top, a bowl, a tap and a mirror."""
    half = width / 2
    piece.box(-half, 0, 0.38, half, depth, 0.82, "walnut veneer")
    piece.box(-half, 0, 0.82, half, depth + 0.01, 0.85, "marble")
    bowls = (0.0,) if width < 1.4 else (-width / 4, width / 4)
    for x in bowls:
        profile = [(0.10, 0), (0.19, 0.06), (0.20, 0.12), (0.19, 0.12), (0.15, 0.05), (0, 0.03)]
        piece.turned(x, depth * 0.55, 0.85, profile, "ceramic", (0.80, 0.79, 0.76), smooth=True)
        piece.leg(x, 0.07, 0.85, 1.12, 0.012, "brass")
        piece.soft.tube((x, -0.07, 1.11), (x, -0.22, 1.11), 0.010, 0.010, "brass", 12)
    piece.box(-half, 0.005, 1.10, half, 0.02, 2.05, "screen")


def wc(piece: Piece, width: float, depth: float, item: dict) -> None:
    white = (0.80, 0.79, 0.76)
    piece.cushion((0, 0.08, 0.62), (width, 0.16, 0.42), "ceramic", white, radius=0.03, crown=0, crease=0)
    piece.cushion(
        (0, 0.16 + (depth - 0.16) / 2, 0.26),
        (width, depth - 0.16, 0.36),
        "ceramic",
        white,
        radius=0.16,
        crown=0,
        crease=0,
    )


def shower(piece: Piece, width: float, depth: float, item: dict) -> None:
    """A pane of glass on the open side, and a rain shower."""
    half = width / 2
    piece.box(-half, depth - 0.01, 0.02, half * 0.3, depth, 2.1, "clear pane")
    piece.leg(0, 0.03, 0.9, 2.2, 0.011, "brass")
    piece.soft.tube((0, -0.03, 2.2), (0, -0.40, 2.2), 0.011, 0.011, "brass", 12)
    piece.turned(0, 0.40, 2.17, [(0, 0), (0.13, 0), (0.13, 0.015), (0, 0.02)], "brass")


def bath(piece: Piece, width: float, depth: float, item: dict) -> None:
    half, white = width / 2, (0.80, 0.79, 0.76)
    for x0, v0, x1, v1 in (
        (-half, 0.01, half, 0.07),
        (-half, depth - 0.07, half, depth),
        (-half, 0.01, -half + 0.07, depth),
        (half - 0.07, 0.01, half, depth),
    ):
        piece.box(x0, v0, 0, x1, v1, 0.56, "ceramic", white)
    piece.box(-half, 0.01, 0, half, depth, 0.16, "ceramic", white)


def piano(piece: Piece, width: float, depth: float, item: dict) -> None:
    """A grand piano with its keys at the back and its stool."""
    half, black = width / 2, (0.012, 0.011, 0.011)
    for x, v in ((-half + 0.12, 0.45), (half - 0.12, 0.45), (0, depth - 0.3)):
        piece.leg(x, v, 0, 0.66, 0.05, "lacquer", 0.035, color=black)
    outline = [(-half, 0.30), (half, 0.30)] + [
        (half * (1 - 0.75 * t**1.6), 0.30 + (depth - 0.30) * sin(pi / 2 * t)) for t in (k / 24 for k in range(1, 25))
    ]
    outline += [(-half * 0.55, depth), (-half, depth - 0.25)]
    corners = [(x, -v) for x, v in outline]
    piece.hard.prism(corners[::-1], 0.66, 0.98, "lacquer", "lacquer", "lacquer", color=black)
    piece.box(-half + 0.06, 0.18, 0.66, half - 0.06, 0.30, 0.74, "lacquer", (0.80, 0.78, 0.72))
    piece.cushion((0, 0.02, 0.47), (0.62, 0.34, 0.07), "linen", (0.05, 0.045, 0.04), radius=0.02, crown=0.006)


def pool(piece: Piece, width: float, depth: float, item: dict) -> None:
    half = width / 2
    piece.box(-half, 0, 0.0, half, depth, 0.012, "clear pane")
    piece.box(-half, 0, -0.02, half, depth, 0.004, "ceramic", (0.10, 0.26, 0.26))


BUILDERS: dict[str, Callable[[Piece, float, float, dict], None]] = {
    "sofa": sofa,
    "armchair": armchair,
    "coffee-table": coffee_table,
    "side-table": side_table,
    "rug": rug,
    "media": media,
    "shelf": shelf,
    "dining": dining,
    "bed": bed,
    "nightstand": nightstand,
    "wardrobe": wardrobe,
    "desk": desk,
    "bench": bench,
    "round-table": round_table,
    "counter": counter,
    "sink": sink,
    "hob": hob,
    "tall": tall,
    "fridge": fridge,
    "island": island,
    "plant": plant,
    "planter": planter,
    "lounger": lounger,
    "washer": washer,
    "basin": basin,
    "wc": wc,
    "shower": shower,
    "bath": bath,
    "piano": piano,
    "pool": pool,
    "coat": coat,
    "reading": reading,
    "picture": picture,
    "flowers": flowers,
    "ring": ring,
    "floor-lamp": floor_lamp,
    "reception": reception,
    "slats": slats,
}
