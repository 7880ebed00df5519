"""The entrance of the metro, 70 m west of the podium: a curved roof over a glazed stair."""

from math import pi, sin

from stage import Scene

LEFT, RIGHT = -160.0, -131.0
SOUTH, NORTH = -38.0, -22.0
BAYS = 12


def roof_height(x: float) -> float:
    return 5.2 + 1.2 * sin((x - LEFT) / (RIGHT - LEFT) * pi)


def build(scene: Scene) -> None:
    mesh = scene.mesh("station")
    step = (RIGHT - LEFT) / BAYS
    for i in range(BAYS):
        x0, x1 = LEFT + i * step, LEFT + (i + 1) * step
        z0, z1 = roof_height(x0), roof_height(x1)
        mesh.face([(x0, SOUTH, z0), (x1, SOUTH, z1), (x1, NORTH, z1), (x0, NORTH, z0)], "slab")
        under = [(x0, SOUTH, z0 - 0.25), (x0, NORTH, z0 - 0.25), (x1, NORTH, z1 - 0.25), (x1, SOUTH, z1 - 0.25)]
        mesh.face(under, "glowing", (0.75, 0.60, 0.42))
        for y in (SOUTH, NORTH):
            mesh.face([(x0, y, z0 - 0.25), (x1, y, z1 - 0.25), (x1, y, z1), (x0, y, z0)], "slab")
        if i % 3 == 1:
            for y in (SOUTH + 1.5, NORTH - 1.5):
                mesh.tube((x0, y, 0), (x0, y, z0 - 0.2), 0.2, 0.14, "bronze", 12)
    mesh.ribbon(
        [(LEFT + 4, SOUTH + 4), (RIGHT - 4, SOUTH + 4), (RIGHT - 4, NORTH - 4), (LEFT + 4, NORTH - 4)],
        0.1,
        4.2,
        "glass",
    )
    mesh.box(LEFT + 8, SOUTH + 6, 0.1, RIGHT - 8, NORTH - 6, 1.2, "stone")
    for x in range(round(LEFT) + 6, round(RIGHT) - 5, 2):
        mesh.box(x - 0.04, SOUTH + 3.96, 0.1, x + 0.04, SOUTH + 4.04, 4.2, "dark")
    mesh.prism(
        [(LEFT - 3, SOUTH - 4), (RIGHT + 5, SOUTH - 4), (RIGHT + 5, NORTH + 5), (LEFT - 3, NORTH + 5)],
        -0.3,
        0.09,
        "granite",
        "travertine",
    )
    mesh.build()
    for x in (LEFT + 6, RIGHT - 6):
        scene.lamp(x, (SOUTH + NORTH) / 2, 4.0, 260, radius=0.4)
