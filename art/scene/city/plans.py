"""Plans of buildings: counter-clockwise outlines around the origin, in metres."""

from math import cos, hypot, pi, sin

from mesh import Point2, rectangle

Plan = list[Point2]


def rect(width: float, depth: float, x: float = 0.0, y: float = 0.0) -> Plan:
    return rectangle(x - width / 2, y - depth / 2, x + width / 2, y + depth / 2)


def chamfered(width: float, depth: float, cut: float) -> Plan:
    a, b, c = width / 2, depth / 2, cut
    return [(a - c, -b), (a, -b + c), (a, b - c), (a - c, b), (-a + c, b), (-a, b - c), (-a, -b + c), (-a + c, -b)]


def rounded(width: float, depth: float, radius: float, corner: int = 5) -> Plan:
    """A rectangle with round corners of `corner` segments each."""
    a, b = width / 2 - radius, depth / 2 - radius
    points = []
    for x, y, start in ((a, -b, -pi / 2), (a, b, 0.0), (-a, b, pi / 2), (-a, -b, pi)):
        points += [
            (x + radius * cos(start + pi / 2 * i / corner), y + radius * sin(start + pi / 2 * i / corner))
            for i in range(corner + 1)
        ]
    return points


def ellipse(width: float, depth: float, sides: int = 28) -> Plan:
    return [(width / 2 * cos(2 * pi * i / sides), depth / 2 * sin(2 * pi * i / sides)) for i in range(sides)]


def cross(width: float, depth: float, cut_x: float, cut_y: float) -> Plan:
    """A rectangle with its four corners cut out."""
    a, b, c, d = width / 2, depth / 2, width / 2 - cut_x, depth / 2 - cut_y
    return [(c, -b), (c, -d), (a, -d), (a, d), (c, d), (c, b), (-c, b), (-c, d), (-a, d), (-a, -d), (-c, -d), (-c, -b)]


def angle_shaped(width: float, depth: float, arm: float) -> Plan:
    a, b = width / 2, depth / 2
    return [(-a, -b), (a, -b), (a, -b + arm), (-a + arm, -b + arm), (-a + arm, b), (-a, b)]


def crescent(length: float, depth: float, bulge: float, segments: int = 12) -> Plan:
    """A slab bent along its length. Its middle is `bulge` in front of its ends."""
    xs = [length * (i / segments - 0.5) for i in range(segments + 1)]
    front = [(x, -depth / 2 - bulge * (1 - (2 * x / length) ** 2)) for x in xs]
    return front + [(x, y + depth) for x, y in reversed(front)]


def grown(plan: Plan, distance: float) -> Plan:
    """The plan with every side moved outwards, or inwards if `distance` is negative. Corners stay sharp."""
    moved = []
    for i, (x, y) in enumerate(plan):
        (px, py), (nx, ny) = plan[i - 1], plan[(i + 1) % len(plan)]
        a, b = hypot(x - px, y - py), hypot(nx - x, ny - y)
        before, after = ((y - py) / a, -(x - px) / a), ((ny - y) / b, -(nx - x) / b)
        share = distance / (1 + before[0] * after[0] + before[1] * after[1])
        moved.append((x + (before[0] + after[0]) * share, y + (before[1] + after[1]) * share))
    return moved


def scaled(plan: Plan, factor: float) -> Plan:
    return [(x * factor, y * factor) for x, y in plan]


def size(plan: Plan) -> tuple[float, float]:
    """Width and depth."""
    xs, ys = zip(*plan)
    return max(xs) - min(xs), max(ys) - min(ys)
