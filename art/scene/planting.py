"""Plants: a few models of each kind, placed many times."""

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, dist, pi, sin
from random import Random

import bpy
import numpy as np
from mathutils import Vector

from mesh import MeshBuilder

VARIANTS = {"rain": 4, "round": 3, "tall": 3, "small": 3, "bush": 4, "palm": 4, "frangipani": 2, "grass": 3}
GOLDEN_ANGLE = 2.39996


@dataclass(frozen=True)
class Plant:
    x: float
    y: float
    z: float
    kind: str
    scale: float


class Planting:
    """Collects plants. `build` places them as instances of shared models."""

    def __init__(self, materials: dict, collection: bpy.types.Collection, camera: Vector):
        self._materials, self._collection, self._camera = materials, collection, camera
        self._plants: list[Plant] = []

    def add(self, x: float, y: float, z: float, kind: str, scale: float = 1.0) -> None:
        """Adds a plant of `kind` (a key of VARIANTS) at a point. At scale 1 it has its natural size in metres."""
        if kind not in VARIANTS:
            raise KeyError(f"no plant named {kind!r}")
        self._plants.append(Plant(x, y, z, kind, scale))

    def build(self, clearance: float = 3.0) -> int:
        """Places all plants at least `clearance` metres from the camera, and returns their number."""
        random = Random("planting")
        models = {}
        placed = 0
        for plant in self._plants:
            turn, stretch, variant = (
                random.uniform(0, 2 * pi),
                random.uniform(0.88, 1.12),
                random.randrange(VARIANTS[plant.kind]),
            )
            if dist((plant.x, plant.y, plant.z), self._camera) < clearance:
                continue
            key = plant.kind, variant
            if key not in models:
                models[key] = build_model(plant.kind, variant, self._materials)
            item = bpy.data.objects.new(plant.kind, models[key])
            item.location = (plant.x, plant.y, plant.z)
            item.rotation_euler = (0, 0, turn)
            item.scale = (plant.scale * stretch, plant.scale * stretch, plant.scale)
            self._collection.objects.link(item)
            placed += 1
        return placed


def build_model(kind: str, variant: int, materials: dict) -> bpy.types.Mesh:
    builder = MeshBuilder(f"{kind} {variant}", materials, None)
    MODELS[kind](builder, np.random.default_rng([variant, *kind.encode()]))
    return builder.data()


def foliage(
    builder: MeshBuilder,
    rng: np.random.Generator,
    center,
    radius,
    height: float,
    count: int,
    size: float,
    material: str = "leaf",
) -> None:
    """Leaves in an ellipsoid, denser towards its skin, lighter towards its top. `size` is half the length of a leaf."""
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    depth = rng.uniform(0.35, 1.0, size=(count, 1)) ** 0.5
    points = np.asarray(center) + direction * depth * np.array([radius, radius, height])
    along = rng.normal(size=(count, 3)) * (1, 1, 0.6)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    across = np.cross(along, rng.normal(size=(count, 3)) * 0.5 + (0, 0, 1))
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    length = size * rng.uniform(0.6, 1.3, size=(count, 1))
    a, b = along * length, across * length * 0.5
    quads = np.stack([points - a, points + b, points + a, points - b], axis=1)
    light = np.clip(0.35 + 0.45 * direction[:, 2] * depth[:, 0] + rng.normal(size=count) * 0.2, 0, 1)
    builder.polygons(quads, material, np.repeat(light[:, None], 3, axis=1))


def rain_tree(builder: MeshBuilder, rng: np.random.Generator) -> None:
    """A broad umbrella, about 11 m high and 14 m wide."""
    fork = rng.uniform(3.2, 4.2)
    builder.tube((0, 0, 0), (0, 0, fork), 0.36, 0.28, "bark", 8)
    spread = rng.uniform(4.6, 6.2)
    top = rng.uniform(8.6, 10.2)
    boughs = 6
    for i in range(boughs):
        angle = i * 2 * pi / boughs + rng.uniform(-0.3, 0.3)
        bend = np.array((cos(angle) * spread * 0.45, sin(angle) * spread * 0.45, fork + (top - fork) * 0.62))
        builder.tube((0, 0, fork - 0.2), tuple(bend), 0.17, 0.10, "bark")
        for turn in (-0.45, 0.1, 0.55):
            reach = spread * rng.uniform(0.6, 1.0)
            tip = np.array(
                (cos(angle + turn) * reach, sin(angle + turn) * reach, top - 0.055 * reach**2 + rng.uniform(-0.5, 0.4))
            )
            builder.tube(tuple(bend), tuple(tip), 0.09, 0.03, "bark", 5)
            foliage(builder, rng, tip + (0, 0, 0.3), rng.uniform(1.2, 1.9), rng.uniform(0.55, 0.95), 620, 0.19)
    for _ in range(7):
        reach, angle = spread * rng.uniform(0.0, 0.5), rng.uniform(0, 2 * pi)
        center = (cos(angle) * reach, sin(angle) * reach, top + rng.uniform(-0.2, 0.7))
        foliage(builder, rng, center, rng.uniform(1.2, 1.8), rng.uniform(0.6, 1.0), 620, 0.19)


def round_tree(builder: MeshBuilder, rng: np.random.Generator) -> None:
    """A full crown, about 9 m high and 6 m wide."""
    fork = rng.uniform(2.2, 2.8)
    builder.tube((0, 0, 0), (0, 0, fork + 2), 0.20, 0.12, "bark", 8)
    for i in range(16):
        angle, reach = i * GOLDEN_ANGLE, rng.uniform(0.5, 2.3)
        z = fork + 1.2 + 4.6 * (i / 15) - 0.1 * reach
        reach *= 1.0 - 0.55 * (i / 15) ** 2
        center = (cos(angle) * reach, sin(angle) * reach, z)
        builder.tube((0, 0, fork + 0.3 * i / 15), center, 0.06, 0.02, "bark", 5)
        foliage(builder, rng, center, rng.uniform(0.9, 1.4), rng.uniform(0.7, 1.0), 420, 0.17)


def tall_tree(builder: MeshBuilder, rng: np.random.Generator) -> None:
    """A slender crown, about 13 m high and 4 m wide."""
    height = rng.uniform(11.5, 13.5)
    builder.tube((0, 0, 0), (0, 0, height * 0.85), 0.20, 0.05, "bark", 8)
    for i in range(18):
        t = i / 17
        angle, reach = i * GOLDEN_ANGLE, (1.5 - 1.1 * t) * rng.uniform(0.5, 1.0)
        center = (cos(angle) * reach, sin(angle) * reach, height * (0.30 + 0.66 * t))
        foliage(builder, rng, center, 1.15 - 0.5 * t, 0.9, 340, 0.17)


def small_tree(builder: MeshBuilder, rng: np.random.Generator) -> None:
    """A multi-stemmed tree for terraces, about 4 m high."""
    for i in range(3):
        angle = i * 2.1 + rng.uniform(-0.3, 0.3)
        tip = np.array((cos(angle) * 0.7, sin(angle) * 0.7, rng.uniform(2.3, 2.9)))
        builder.tube((cos(angle) * 0.12, sin(angle) * 0.12, 0), tuple(tip), 0.06, 0.035, "bark", 6)
        for _ in range(3):
            center = tip + (rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5), rng.uniform(0.1, 1.0))
            foliage(builder, rng, center, rng.uniform(0.55, 0.8), rng.uniform(0.4, 0.6), 330, 0.10)


def frangipani(builder: MeshBuilder, rng: np.random.Generator) -> None:
    """An open crown on forking limbs, about 5 m high."""
    for i in range(5):
        angle = i * 1.26 + rng.uniform(-0.2, 0.2)
        knee = np.array((cos(angle) * 0.7, sin(angle) * 0.7, 1.9))
        builder.tube((0, 0, 0.0), tuple(knee), 0.13, 0.09, "bark", 7)
        for turn in (-0.5, 0.5):
            tip = knee + (cos(angle + turn) * 1.2, sin(angle + turn) * 1.2, rng.uniform(1.3, 2.0))
            builder.tube(tuple(knee), tuple(tip), 0.08, 0.05, "bark", 6)
            foliage(builder, rng, tip + (0, 0, 0.25), 0.75, 0.45, 170, 0.20, "palm leaf")


def bush(builder: MeshBuilder, rng: np.random.Generator) -> None:
    """A mound, about 2.5 m wide and 1 m high."""
    for _ in range(6):
        center = (rng.uniform(-0.8, 0.8), rng.uniform(-0.8, 0.8), rng.uniform(0.35, 0.55))
        foliage(builder, rng, center, rng.uniform(0.5, 0.75), rng.uniform(0.4, 0.6), 330, 0.10, "palm leaf")


def grass(builder: MeshBuilder, rng: np.random.Generator) -> None:
    """A tuft of arching blades, about 1 m high."""
    for _ in range(70):
        angle, lean, height = rng.uniform(0, 2 * pi), rng.uniform(0.1, 0.6), rng.uniform(0.6, 1.05)
        out, side = np.array((cos(angle), sin(angle), 0)), np.array((-sin(angle), cos(angle), 0)) * 0.022
        base, middle = out * 0.12 * rng.uniform(0, 1), out * lean * 0.5 + (0, 0, height * 0.75)
        tip = out * lean * 1.3 + (0, 0, height * rng.uniform(0.75, 1.0))
        light = (rng.uniform(0.3, 1.0),) * 3
        builder.face(
            [tuple(base - side), tuple(base + side), tuple(middle + side), tuple(middle - side)], "palm leaf", light
        )
        builder.face([tuple(middle - side), tuple(middle + side), tuple(tip)], "palm leaf", light)


def palm(builder: MeshBuilder, rng: np.random.Generator) -> None:
    """A feather palm, about 11 m high."""
    height, lean = rng.uniform(7.5, 9.5), rng.uniform(-0.6, 0.6)
    middle, crown = (lean * 0.4, 0, height * 0.5), (lean, 0, height)
    builder.tube((0, 0, 0), middle, 0.22, 0.17, "bark", 8)
    builder.tube(middle, crown, 0.17, 0.14, "bark", 8)
    for i in range(24):
        palm_frond(builder, rng, np.array(crown), i * GOLDEN_ANGLE, rng.uniform(-0.45, 1.2))


def palm_frond(
    builder: MeshBuilder, rng: np.random.Generator, root: np.ndarray, angle: float, elevation: float
) -> None:
    """A drooping midrib with leaflets in pairs."""
    pairs, length = 26, rng.uniform(2.9, 3.7)
    direction = np.array((cos(angle) * cos(elevation), sin(angle) * cos(elevation), sin(elevation)))
    side = np.cross(direction, (0, 0, 1))
    side /= np.linalg.norm(side)
    point = root
    for i in range(pairs):
        direction = direction + (0, 0, -0.055)
        direction /= np.linalg.norm(direction)
        following = point + direction * length / pairs
        reach = 0.72 * sin(pi * min(1.0, (i + 2) / (pairs + 1))) + 0.08
        for sign in (-1, 1):
            tip = point + side * sign * reach + direction * 0.30 + (0, 0, -0.32 * reach)
            light = (rng.uniform(0.2, 0.9),) * 3
            builder.face([tuple(point), tuple(point + (following - point) * 0.55), tuple(tip)], "palm leaf", light)
        point = following


MODELS: dict[str, Callable[[MeshBuilder, np.random.Generator], None]] = {
    "rain": rain_tree,
    "round": round_tree,
    "tall": tall_tree,
    "small": small_tree,
    "bush": bush,
    "palm": palm,
    "frangipani": frangipani,
    "grass": grass,
}
