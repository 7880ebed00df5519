"""Builds meshes face by face, and outlines of buildings."""

from collections.abc import Callable, Sequence
from math import cos, dist, hypot, pi, radians, sin

import bmesh
import bpy
import numpy as np

Point2 = tuple[float, float]
Point3 = tuple[float, float, float]
Color = tuple[float, float, float]
BLACK: Color = (0.0, 0.0, 0.0)


class MeshBuilder:
    """Collects faces with a material and a colour each. `build` turns them into one Blender object."""

    def __init__(self, name: str, materials: dict[str, bpy.types.Material], collection: bpy.types.Collection | None):
        self.name = name
        self._materials = materials
        self._collection = collection
        self._slots: dict[str, int] = {}
        self._vertices: list[Point3] = []
        self._faces: list[tuple[int, ...]] = []
        self._face_slots: list[int] = []
        self._colors: list[Color] = []
        self._uvs: list[Point2] = []
        self._has_uv = False

    def _slot(self, material: str) -> int:
        if material not in self._materials:
            raise KeyError(f"{self.name}: no material named {material!r}")
        return self._slots.setdefault(material, len(self._slots))

    @property
    def empty(self) -> bool:
        return not self._faces

    def face(
        self, points: Sequence[Point3], material: str, color: Color = BLACK, uv: Sequence[Point2] | None = None
    ) -> None:
        """Adds a polygon, counter-clockwise when seen from outside. `uv` has one point for each corner."""
        start = len(self._vertices)
        self._vertices.extend(points)
        self._faces.append(tuple(range(start, start + len(points))))
        self._face_slots.append(self._slot(material))
        self._colors.append(color)
        self._uvs.extend(uv or [(0.0, 0.0)] * len(points))
        self._has_uv = self._has_uv or uv is not None

    def polygons(self, points: np.ndarray, material: str, colors: np.ndarray) -> None:
        """Adds many polygons. The shape of `points` is (faces, corners, 3), that of `colors` is (faces, 3)."""
        for corners, color in zip(points.tolist(), colors.tolist()):
            self.face([tuple(corner) for corner in corners], material, tuple(color))

    def box(
        self,
        x0,
        y0,
        z0,
        x1,
        y1,
        z1,
        material: str,
        color: Color = BLACK,
        transform: Callable[[float, float], Point2] | None = None,
    ) -> None:
        """An upright box between two corners, with its plan moved by `transform`."""
        corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
        plan = [transform(*corner) for corner in corners] if transform else corners
        self.prism(plan, z0, z1, material, material, material, color)

    def prism(
        self,
        polygon: Sequence[Point2],
        z0: float,
        z1: float,
        side: str,
        top: str | None = None,
        bottom: str | None = None,
        color: Color = BLACK,
    ) -> None:
        """Extrudes a polygon upwards. Top and bottom are open unless they have a material."""
        self.ribbon(polygon, z0, z1, side, color=color)
        if top:
            self.face([(x, y, z1) for x, y in polygon], top, color)
        if bottom:
            self.face([(x, y, z0) for x, y in reversed(polygon)], bottom, color)

    def ribbon(
        self, line: Sequence[Point2], z0: float, z1: float, material: str, closed: bool = True, color: Color = BLACK
    ) -> None:
        """A vertical band along a line."""
        ends = list(line[1:]) + ([line[0]] if closed else [])
        for (ax, ay), (bx, by) in zip(line, ends):
            self.face([(ax, ay, z0), (bx, by, z0), (bx, by, z1), (ax, ay, z1)], material, color)

    def horizontal(
        self, polygon: Sequence[Point2], z: float, material: str, color: Color = BLACK, down: bool = False
    ) -> None:
        """A level polygon that faces up, or down for a ceiling."""
        points = reversed(polygon) if down else polygon
        self.face([(x, y, z) for x, y in points], material, color)

    def tube(
        self, start: Point3, end: Point3, r0: float, r1: float, material: str, sides: int = 6, color: Color = BLACK
    ) -> None:
        """A round bar between two points, tapering from r0 to r1, with open ends."""
        a, b = np.array(start, float), np.array(end, float)
        axis = (b - a) / np.linalg.norm(b - a)
        u = np.cross(axis, (1, 0, 0) if abs(axis[0]) < 0.7 else (0, 1, 0))
        u /= np.linalg.norm(u)
        v = np.cross(axis, u)
        ring = [u * cos(2 * pi * i / sides) + v * sin(2 * pi * i / sides) for i in range(sides)]
        for i in range(sides):
            p, q = ring[i], ring[(i + 1) % sides]
            self.face([tuple(a + p * r0), tuple(a + q * r0), tuple(b + q * r1), tuple(b + p * r1)], material, color)

    def data(self, smooth_angle: float | None = None) -> bpy.types.Mesh:
        """The mesh without an object. With `smooth_angle` (degrees), faces that meet at less shade smoothly."""
        mesh = bpy.data.meshes.new(self.name)
        mesh.from_pydata(self._vertices, [], self._faces)
        for material in self._slots:
            mesh.materials.append(self._materials[material])
        mesh.polygons.foreach_set("material_index", self._face_slots)
        colors = np.ones((len(self._faces), 4), dtype=np.float32)
        colors[:, :3] = self._colors
        # Not "color", because Cycles uses that name for the colour of the object.
        mesh.attributes.new("tint", "FLOAT_COLOR", "FACE").data.foreach_set("color", colors.ravel())
        if self._has_uv:
            layer = mesh.uv_layers.new(name="UVMap")
            layer.data.foreach_set("uv", np.array(self._uvs, dtype=np.float32).ravel())
        if smooth_angle is not None:
            weld(mesh)
            mesh.shade_smooth()
            mesh.set_sharp_from_angle(angle=radians(smooth_angle))
        mesh.update()
        return mesh

    def build(self, smooth_angle: float | None = None) -> bpy.types.Object:
        """Adds the mesh to the scene and returns its object."""
        item = bpy.data.objects.new(self.name, self.data(smooth_angle))
        self._collection.objects.link(item)
        return item


def weld(mesh: bpy.types.Mesh) -> None:
    """Merges vertices at the same place, so smooth shading crosses faces."""
    edit = bmesh.new()
    edit.from_mesh(mesh)
    bmesh.ops.remove_doubles(edit, verts=edit.verts, dist=0.0005)
    edit.to_mesh(mesh)
    edit.free()


class Placement:
    """Rotates and moves plan coordinates: `place(x, y)` returns the point on the site."""

    def __init__(self, x: float, y: float, angle: float = 0.0):
        self.x, self.y, self.angle = x, y, angle
        self._cos, self._sin = cos(angle), sin(angle)

    def __call__(self, x: float, y: float) -> Point2:
        return self.x + x * self._cos - y * self._sin, self.y + x * self._sin + y * self._cos

    def all(self, points: Sequence[Point2]) -> list[Point2]:
        return [self(x, y) for x, y in points]


def rounded_rectangle(half_width: float, half_depth: float, radius: float, step: float = 1.6) -> list[Point2]:
    """A counter-clockwise outline around the origin with points about `step` apart."""
    points: list[Point2] = []

    def line(start: Point2, end: Point2) -> None:
        count = max(1, round(dist(start, end) / step))
        for i in range(count):
            t = i / count
            points.append((start[0] + (end[0] - start[0]) * t, start[1] + (end[1] - start[1]) * t))

    def arc(x: float, y: float, start: float) -> None:
        count = max(3, round(radius * pi / 2 / step))
        for i in range(count):
            t = start + pi / 2 * i / count
            points.append((x + radius * cos(t), y + radius * sin(t)))

    a, b, r = half_width, half_depth, radius
    line((a, -b + r), (a, b - r))
    arc(a - r, b - r, 0)
    line((a - r, b), (-a + r, b))
    arc(-a + r, b - r, pi / 2)
    line((-a, b - r), (-a, -b + r))
    arc(-a + r, -b + r, pi)
    line((-a + r, -b), (a - r, -b))
    arc(a - r, -b + r, 1.5 * pi)
    return points


def circle(x: float, y: float, radius: float, sides: int = 12) -> list[Point2]:
    return [(x + radius * cos(2 * pi * i / sides), y + radius * sin(2 * pi * i / sides)) for i in range(sides)]


def rectangle(x0: float, y0: float, x1: float, y1: float) -> list[Point2]:
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def outward_normals(outline: Sequence[Point2]) -> list[Point2]:
    """One unit vector for each point of a counter-clockwise outline."""
    normals = []
    for i in range(len(outline)):
        (x0, y0), (x1, y1) = outline[i - 1], outline[(i + 1) % len(outline)]
        length = hypot(x1 - x0, y1 - y0)
        normals.append(((y1 - y0) / length, -(x1 - x0) / length))
    return normals


def offset(outline: Sequence[Point2], normals: Sequence[Point2], distance: float | Sequence[float]) -> list[Point2]:
    """The outline moved along its normals, by one distance or by one for each point."""
    distances = [distance] * len(outline) if isinstance(distance, (int, float)) else distance
    return [(x + nx * d, y + ny * d) for (x, y), (nx, ny), d in zip(outline, normals, distances)]


def fin(point: Point2, normal: Point2, half_width: float, depth: float) -> list[Point2]:
    """The plan of a blade on an outline. It extends `depth` outwards, or inwards if `depth` is negative."""
    (x, y), (nx, ny) = point, normal
    tx, ty = -ny * half_width, nx * half_width
    near = [(x + tx, y + ty), (x - tx, y - ty)]
    far = [(x - tx + nx * depth, y - ty + ny * depth), (x + tx + nx * depth, y + ty + ny * depth)]
    corners = near + far
    return corners if depth < 0 else corners[::-1]
