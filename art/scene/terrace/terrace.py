"""The terrace of a flat, in the foreground of the south and north views."""

from math import cos, pi, radians, sin

from mesh import MeshBuilder, Placement, Point2
from stage import Scene
from terrace.furniture import armchair, planter, side_table

EYE = 1.62
RAIL = 1.08
CEILING = 3.05
SLAB = 0.26
BOARD = 0.14


def build(scene: Scene) -> None:
    view = scene.view
    x, y, z = view.location
    # `across` is to the right of the camera, `along` is into the picture.
    place = Placement(x, y, -radians(view.azimuth))
    floor = z - EYE
    edge = edge_line(mirrored=view.name.startswith("north"))
    terrace(scene, place, edge, floor)
    railing(scene, place, edge, floor)
    soffit(scene, place, edge, floor)
    furnish(scene, place, floor, for_two=view.name.startswith("north"))
    if view.name.startswith("north"):
        park(scene, place)


def park(scene: Scene, place: Placement) -> None:
    """Lawn and trees between the site and the first street to the north."""
    mesh, random = scene.mesh("park"), scene.random("park")
    mesh.horizontal(place.all([(-260, 8), (260, 8), (260, 150), (-30, 150), (-60, 230), (-260, 230)]), 0.08, "lawn")
    mesh.build()
    for _ in range(420):
        spot = place(random.uniform(-210, 210), random.uniform(30, 148))
        scene.planting.add(
            *spot, 0.08, random.choice(("rain", "round", "tall", "palm", "bush")), random.uniform(0.6, 1.0)
        )


def edge_line(mirrored: bool) -> list[Point2]:
    """The edge of the slab from left to right (across, along), a shallow wave like the floors of the towers."""
    line = []
    for i in range(121):
        across = -9 + i * 0.15
        swing = across if not mirrored else -across
        line.append((across, 3.55 + 0.30 * sin(0.42 * swing + 0.5) - 0.012 * across * across))
    return line


def inward(line: list[Point2], distance: float) -> list[Point2]:
    return [(across, along - distance) for across, along in line]


def terrace(scene: Scene, place: Placement, edge: list[Point2], floor: float) -> None:
    """A deck of boards with open joints, a stone kerb and the front of the slab."""
    # The boards are a separate object with local coordinates, because their grain follows them.
    mesh, boards = scene.mesh("terrace"), scene.mesh("terrace boards")
    kerb = inward(edge, 0.20)
    back = -3.0
    random = scene.random("terrace boards")
    count = int(18 / BOARD)
    for i in range(count):
        left = -9 + i * BOARD
        right = left + BOARD - 0.008
        ends = [along for across, along in kerb if left - 0.16 <= across <= right + 0.16]
        front = min(ends)
        shade = random.uniform(0.78, 1.18)
        color = (0.235 * shade, 0.172 * shade, 0.112 * shade)
        boards.prism(
            [(left, back), (right, back), (right, front), (left, front)],
            floor - 0.03,
            floor,
            "terrace board",
            "terrace board",
            None,
            color,
        )
    deck = boards.build()
    deck.location, deck.rotation_euler = (place.x, place.y, 0), (0, 0, place.angle)
    under = [(-9, back), (9, back), *reversed(kerb)]
    mesh.horizontal(place.all(under), floor - 0.028, "dark")
    strip(mesh, place, kerb, edge, floor + 0.015, "terrace stone")
    mesh.ribbon(place.all(kerb[::-1]), floor - 0.05, floor + 0.015, "terrace stone", closed=False)
    mesh.ribbon(place.all(edge), floor - SLAB, floor + 0.015, "terrace stone", closed=False)
    mesh.build()


def strip(mesh: MeshBuilder, place: Placement, near: list[Point2], far: list[Point2], z: float, material: str) -> None:
    for a, b, c, d in zip(near, near[1:], far[1:], far):
        mesh.horizontal(place.all([a, b, c, d]), z, material)


def railing(scene: Scene, place: Placement, edge: list[Point2], floor: float) -> None:
    """Panes of 10 mm glass in small clamps, under a slim handrail."""
    mesh = scene.mesh("railing")
    line = inward(edge, 0.12)
    panes = 8
    for start in range(0, len(line) - 1, panes):
        pane = line[start : start + panes + 1]
        if len(pane) < 2:
            continue
        # A joint of a centimetre separates the panes.
        first, last = pane[0], pane[-1]
        pane = [(first[0] + 0.006, first[1]), *pane[1:-1], (last[0] - 0.006, last[1])]
        outer = [(across, along + 0.010) for across, along in pane]
        for face in (outer, pane[::-1]):
            mesh.ribbon(place.all(face), floor + 0.06, floor + RAIL - 0.03, "terrace glass", closed=False)
        for left, right in ((pane[0], outer[0]), (pane[-1], outer[-1])):
            mesh.ribbon(place.all([left, right]), floor + 0.06, floor + RAIL - 0.03, "terrace glass edge", closed=False)
        for spot in (pane[1], pane[-2]):
            across, along = spot
            corners = [
                (across - 0.02, along - 0.02),
                (across + 0.02, along - 0.02),
                (across + 0.02, along + 0.03),
                (across - 0.02, along + 0.03),
            ]
            mesh.prism(place.all(corners), floor + 0.01, floor + 0.09, "terrace steel", "terrace steel")
    front, rear = inward(line, -0.028), inward(line, 0.018)
    for side in (front, rear[::-1]):
        mesh.ribbon(place.all(side), floor + RAIL - 0.025, floor + RAIL, "terrace metal", closed=False)
    strip(mesh, place, rear, front, floor + RAIL, "terrace metal")
    mesh.build()


def soffit(scene: Scene, place: Placement, edge: list[Point2], floor: float) -> None:
    """The balcony above, with a different wave, a shadow gap and small downlights."""
    mesh = scene.mesh("soffit")
    z = floor + CEILING
    front = [(across, along - 1.62 + 0.18 * cos(0.5 * across)) for across, along in edge]
    mesh.horizontal(place.all([(-9, -3), (9, -3), *reversed(front)]), z, "terrace soffit", down=True)
    mesh.ribbon(place.all(front), z, z + SLAB, "terrace soffit", closed=False)
    lip = inward(front, 0.10)
    mesh.ribbon(place.all(lip), z - 0.02, z, "terrace metal", closed=False)
    for across in (-3.2, -1.1, 1.1, 3.2):
        spot = [place(across + 0.05 * cos(pi * k / 6), 1.2 + 0.05 * sin(pi * k / 6)) for k in range(12)]
        mesh.horizontal(spot, z - 0.004, "glowing", (3.0, 2.1, 1.2), down=True)
        scene.lamp(*place(across, 1.2), z - 0.12, 16.0, color=(1.0, 0.82, 0.60), radius=0.06)
    mesh.build()


def furnish(scene: Scene, place: Placement, floor: float, for_two: bool) -> None:
    def at(across: float, along: float, turn: float) -> Placement:
        return Placement(*place(across, along), place.angle + turn)

    mesh = scene.mesh("terrace furniture")
    if for_two:
        armchair(mesh, at(1.55, 2.55, radians(-158)), floor)
        side_table(mesh, at(2.35, 2.90, 0.0), floor)
        armchair(mesh, at(3.15, 2.35, radians(162)), floor)
        planter(mesh, scene.random("planter"), at(-2.95, 2.62, 0.0), floor)
    else:
        armchair(mesh, at(-1.95, 2.55, radians(140)), floor)
        side_table(mesh, at(-2.75, 2.85, 0.0), floor)
        planter(mesh, scene.random("planter"), at(2.95, 2.62, 0.0), floor)
    mesh.build(smooth_angle=40)
