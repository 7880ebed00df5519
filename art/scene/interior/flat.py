"""A furnished flat of the floor plans."""

from math import hypot

from interior.furniture import BUILDERS
from interior.piece import Piece
from interior.shell import Shell
from interior.unit import inside, load_plans
from mesh import Point2
from stage import Scene
from views import EXTRA_ITEMS, FLATS


def build(scene: Scene) -> None:
    """Builds the flat of the view, with the furniture of its plan and the extra items."""
    flat = FLATS[scene.view.name]
    extra_items = EXTRA_ITEMS.get(scene.view.name, [])
    shell = Shell(scene, flat)
    shell.build()
    kinds = load_plans()["kinds"]
    for item in [*flat.plan["furniture"], *extra_items]:
        symbol = item["symbol"]
        kind = kinds.get(symbol, {})
        width = item.get("width", kind.get("width", 0.5))
        depth = width if kind.get("round") else item.get("depth", kind.get("depth", 0.5))
        turn = item.get("turn", 0)
        origin = back_edge_middle(item["at"], turn, depth) if kind.get("free") else tuple(item["at"])
        piece = Piece(scene, flat, symbol, origin, turn)
        BUILDERS[symbol](piece, width, depth, item)
        if piece.build() and item in flat.plan["furniture"]:
            scene.built.append({"symbol": symbol, "at": item["at"], "turn": turn})
    curtains(scene, shell)


def back_edge_middle(middle: Point2, turn: int, depth: float) -> Point2:
    x, y = {0: (0, -1), 90: (1, 0), 180: (0, 1), 270: (-1, 0)}[turn]
    return middle[0] + x * depth / 2, middle[1] + y * depth / 2


def curtains(scene: Scene, shell: Shell) -> None:
    """Open sheer curtains at the windows of rooms with timber floors."""
    flat = shell.flat
    rooms = [room for room in flat.plan["rooms"] if room["floor"] == "oak"]
    for opening in flat.plan["openings"]:
        if opening["kind"] not in ("window", "sliding"):
            continue
        (ax, ay), (bx, by) = opening["from"], opening["to"]
        length = hypot(bx - ax, by - ay)
        nx, ny = -(by - ay) / length, (bx - ax) / length
        middle = (ax + bx) / 2, (ay + by) / 2
        sides = [
            s
            for s in (-1, 1)
            if any(inside(room["polygon"], (middle[0] + nx * 0.4 * s, middle[1] + ny * 0.4 * s)) for room in rooms)
        ]
        if len(sides) != 1 or length < 1.3:
            continue
        turn = {(0, -1): 180, (0, 1): 0, (1, 0): 270, (-1, 0): 90}[round(nx * sides[0]), round(ny * sides[0])]
        piece = Piece(scene, flat, "curtain", middle, turn)
        top = min(flat.ceiling - 0.01, 2.84) if flat.ceiling < 3.5 else flat.ceiling - 0.01
        half = length / 2 + 0.12
        bunch = 0.16 * length
        for x0, x1 in ((-half, -half + bunch), (half - bunch, half)):
            piece.folds(x0, x1, 0.20, 0.015, top)
        piece.build()
