"""Models of the city's buildings, trees and cars: a few variants of each kind, built on first use."""

from collections.abc import Callable
from math import cos, sin
from random import Random

import bmesh
import bpy
from mathutils import Vector, noise

from city.high_buildings import OFFICES, office_tower, point_block
from city.low_buildings import house, school, shophouse_row, slab, street_block
from city.plans import angle_shaped, rect
from mesh import MeshBuilder
from stage import Scene

POINT_SHAPES = ("octagon", "cross", "rounded", "slim", "ellipse", "square")
OFFICE_KINDS = tuple(OFFICES)


def block_of_streets(mesh: MeshBuilder, random: Random, number: int) -> None:
    w, d = random.uniform(46, 54), random.uniform(34, 38)
    if number % 4 == 3:
        street_block(
            mesh, random, angle_shaped(w, d, 15), random.randint(5, 9), court=rect(10, 10, -w / 2 + 8, -d / 2 + 8)
        )
    else:
        street_block(mesh, random, rect(w, d), random.choice((3, 4, 5, 6, 8, 10)))


BUILDERS: dict[str, tuple[int, Callable[[MeshBuilder, Random, int], None]]] = {
    "shophouses": (7, lambda mesh, random, i: shophouse_row(mesh, random)),
    "house": (6, lambda mesh, random, i: house(mesh, random)),
    "slab": (6, lambda mesh, random, i: slab(mesh, random, (62, 76, 92)[i % 3], (10, 12, 11, 13)[i % 4])),
    "tall slab": (3, lambda mesh, random, i: slab(mesh, random, (70, 84, 96)[i], (18, 22, 25)[i])),
    "bent slab": (3, lambda mesh, random, i: slab(mesh, random, (84, 96, 72)[i], (11, 13, 9)[i], bulge=(9, 14, 7)[i])),
    "low point block": (4, lambda mesh, random, i: point_block(mesh, random, POINT_SHAPES[i], 8 + i % 3)),
    "point block": (
        12,
        lambda mesh, random, i: point_block(mesh, random, POINT_SHAPES[i % 6], 16 + 3 * (i % 5) + i // 6 * 2),
    ),
    "street block": (9, block_of_streets),
    "school": (2, lambda mesh, random, i: school(mesh, random)),
    "office": (
        14,
        lambda mesh, random, i: office_tower(
            mesh, random, OFFICE_KINDS[i % 7], (72, 96, 84, 108, 66, 92, 80)[i % 7] + i // 7 * 14
        ),
    ),
    "high office": (
        14,
        lambda mesh, random, i: office_tower(
            mesh, random, OFFICE_KINDS[i % 7], (188, 164, 142, 172, 150, 124, 200)[i % 7] - i // 7 * 22
        ),
    ),
}
TREES = 5


class Models:
    """Meshes by kind. The order of the requests does not change the variants."""

    def __init__(self, scene: Scene):
        self._scene = scene
        self._made: dict[tuple[str, int], bpy.types.Mesh] = {}

    def pick(self, kind: str, random: Random) -> bpy.types.Mesh:
        count, _ = BUILDERS[kind]
        return self.variant(kind, random.randrange(count))

    def variant(self, kind: str, number: int) -> bpy.types.Mesh:
        key = kind, number
        if key not in self._made:
            mesh = self._scene.mesh(f"{kind} {number}")
            BUILDERS[kind][1](mesh, self._scene.random(f"{kind} {number}"), number)
            self._made[key] = mesh.data()
        return self._made[key]

    def tree(self, random: Random) -> bpy.types.Mesh:
        """A broad crown, about 10 m wide and 9 m high at scale 1, for trees more than 200 m away."""
        key = "tree", random.randrange(TREES)
        if key not in self._made:
            self._made[key] = tree_crown(
                key[1], self._scene.random(f"tree {key[1]}"), self._scene.materials["tree crown"]
            )
        return self._made[key]

    def car(self, random: Random) -> bpy.types.Mesh:
        key = "car", random.randrange(4)
        if key not in self._made:
            mesh = self._scene.mesh(f"far car {key[1]}")
            color = ((0.45, 0.45, 0.46), (0.06, 0.06, 0.07), (0.30, 0.05, 0.04), (0.55, 0.53, 0.48))[key[1]]
            mesh.box(-2.1, -0.9, 0.35, 2.1, 0.9, 0.95, "render", color)
            mesh.box(-1.3, -0.8, 0.95, 0.9, 0.8, 1.5, "solar panel")
            for y in (-0.6, 0.6):
                mesh.box(2.1, y - 0.22, 0.55, 2.16, y + 0.22, 0.85, "glowing", (9.0, 7.4, 5.2))
                mesh.box(-2.16, y - 0.24, 0.60, -2.1, y + 0.24, 0.88, "glowing", (4.2, 0.22, 0.08))
            # The beam on the road ahead.
            mesh.horizontal([(2.6, -0.8), (13, -2.2), (13, 2.2), (2.6, 0.8)], 0.16, "glowing", (0.085, 0.07, 0.048))
            self._made[key] = mesh.data()
        return self._made[key]

    def street_lamp(self) -> bpy.types.Mesh:
        key = "street lamp", 0
        if key not in self._made:
            mesh = self._scene.mesh("far street lamp")
            mesh.box(-0.09, -0.09, 0, 0.09, 0.09, 8.4, "render", (0.2, 0.2, 0.2))
            mesh.box(-0.2, -0.5, 8.3, 0.2, 1.6, 8.5, "render", (0.2, 0.2, 0.2))
            mesh.box(-0.22, 0.3, 8.12, 0.22, 1.5, 8.3, "glowing", (9.0, 5.4, 2.5))
            self._made[key] = mesh.data()
        return self._made[key]


def tree_crown(number: int, random: Random, material: bpy.types.Material) -> bpy.types.Mesh:
    """Overlapping lumps of foliage on a short trunk."""
    shape = bmesh.new()
    for i in range(random.randint(6, 8)):
        reach = 0.0 if i == 0 else random.uniform(2.0, 3.4)
        turn = i * 2.4
        centre = Vector((reach * cos(turn), reach * sin(turn), random.uniform(5.0, 6.4) if i else 6.8))
        made = bmesh.ops.create_icosphere(shape, subdivisions=3, radius=random.uniform(1.7, 2.5))
        for vertex in made["verts"]:
            rough = (
                1
                + 0.42 * noise.noise(vertex.co * 0.9 + Vector((number * 7, i * 5, 0)))
                + 0.22 * noise.noise(vertex.co * 2.6)
            )
            vertex.co = vertex.co * rough
            vertex.co.z *= 0.72
            vertex.co += centre
    trunk = bmesh.ops.create_cone(shape, segments=5, radius1=0.35, radius2=0.25, depth=5.4, cap_ends=False)
    for vertex in trunk["verts"]:
        vertex.co.z += 2.7
    mesh = bpy.data.meshes.new(f"crown {number}")
    shape.to_mesh(mesh)
    shape.free()
    mesh.materials.append(material)
    mesh.shade_smooth()
    return mesh
