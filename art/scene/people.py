"""Human figures: joints in a pose, with lofted shapes for body and clothes."""

from dataclasses import dataclass, replace
from math import cos, pi, radians, sin
from random import Random

import numpy as np

from mesh import Color, MeshBuilder
from stage import Scene

SIDES = 10
SKIN: tuple[Color, ...] = ((0.42, 0.25, 0.17), (0.55, 0.36, 0.26), (0.30, 0.17, 0.11))
HAIR: tuple[Color, ...] = ((0.020, 0.015, 0.012), (0.05, 0.03, 0.02))
CLOTHES: tuple[Color, ...] = (
    (0.55, 0.52, 0.47),
    (0.06, 0.08, 0.12),
    (0.32, 0.25, 0.18),
    (0.60, 0.58, 0.55),
    (0.16, 0.20, 0.24),
    (0.38, 0.13, 0.09),
    (0.10, 0.16, 0.13),
)


@dataclass(frozen=True)
class Leg:
    hip: tuple[float, float, float]
    knee: tuple[float, float, float]
    ankle: tuple[float, float, float]
    toe: tuple[float, float, float]


@dataclass(frozen=True)
class Arm:
    shoulder: tuple[float, float, float]
    elbow: tuple[float, float, float]
    wrist: tuple[float, float, float]


@dataclass(frozen=True)
class Pose:
    """Joints of a body 1.72 m tall that looks along +y, with the ground (or the seat's floor) at z = 0."""

    pelvis: tuple[float, float, float]
    neck: tuple[float, float, float]
    head: tuple[float, float, float]
    legs: tuple[Leg, Leg]
    arms: tuple[Arm, Arm]
    can_wear_skirt: bool = False


def _mirrored(limb: Leg | Arm) -> Leg | Arm:
    return replace(limb, **{name: (-x, y, z) for name, (x, y, z) in vars(limb).items()})


_STRAIGHT_LEG = Leg((0.09, 0, 0.90), (0.105, 0.02, 0.49), (0.10, -0.02, 0.09), (0.13, 0.18, 0.03))
_HANGING_ARM = Arm((0.185, 0, 1.40), (0.235, -0.04, 1.12), (0.235, 0.06, 0.87))
_FOLDED_ARM = Arm((0.185, 0, 1.40), (0.245, 0.02, 1.13), (0.06, 0.22, 1.16))
_SEATED_LEG = Leg((0.10, 0.02, 0.50), (0.12, 0.46, 0.52), (0.11, 0.44, 0.09), (0.12, 0.62, 0.03))
_SEATED_ARM = Arm((0.185, -0.06, 1.00), (0.25, 0.0, 0.74), (0.14, 0.28, 0.62))

STANDING = Pose(
    (0, 0, 0.92),
    (0, -0.01, 1.47),
    (0, 0.02, 1.61),
    (_mirrored(_STRAIGHT_LEG), _STRAIGHT_LEG),
    (_mirrored(_HANGING_ARM), _FOLDED_ARM),
    True,
)
WAITING = Pose(
    (0.03, 0, 0.91),
    (0, -0.01, 1.46),
    (0, 0.03, 1.60),
    (Leg((-0.07, 0, 0.89), (-0.13, 0.10, 0.49), (-0.15, 0.04, 0.09), (-0.22, 0.22, 0.03)), _STRAIGHT_LEG),
    (_mirrored(_HANGING_ARM), _HANGING_ARM),
    True,
)
WALKING = Pose(
    (0, 0, 0.91),
    (0, 0.03, 1.46),
    (0, 0.06, 1.60),
    (
        Leg((-0.09, 0, 0.89), (-0.095, 0.20, 0.50), (-0.09, 0.30, 0.10), (-0.10, 0.50, 0.08)),
        Leg((0.09, 0, 0.89), (0.10, -0.02, 0.48), (0.10, -0.36, 0.20), (0.11, -0.22, 0.04)),
    ),
    (
        Arm((-0.185, 0.02, 1.40), (-0.24, -0.14, 1.14), (-0.22, -0.14, 0.88)),
        Arm((0.185, 0.02, 1.40), (0.235, 0.06, 1.12), (0.21, 0.24, 0.95)),
    ),
)
SEATED = Pose(
    (0, 0, 0.53),
    (0, -0.08, 1.08),
    (0, -0.04, 1.22),
    (_mirrored(_SEATED_LEG), _SEATED_LEG),
    (_mirrored(_SEATED_ARM), _SEATED_ARM),
)
_RESTING_LEG = Leg((0.09, 0.06, 0.46), (0.11, 0.50, 0.50), (0.10, 0.92, 0.46), (0.12, 0.96, 0.66))
_RESTING_ARM = Arm((0.185, -0.34, 0.84), (0.27, -0.10, 0.62), (0.16, 0.12, 0.58))
RECLINING = Pose(
    (0, 0, 0.48),
    (0, -0.42, 0.90),
    (0, -0.50, 1.04),
    (Leg((-0.09, 0.06, 0.46), (-0.11, 0.40, 0.72), (-0.10, 0.70, 0.42), (-0.11, 0.88, 0.38)), _RESTING_LEG),
    (_mirrored(_RESTING_ARM), _RESTING_ARM),
)
# Face down along +y with the water's surface at z = 0, one arm reaching forward out of the water.
SWIMMING = Pose(
    (0, -0.35, -0.10),
    (0, 0.22, -0.03),
    (0.01, 0.40, 0.03),
    (
        Leg((-0.08, -0.40, -0.10), (-0.09, -0.78, -0.14), (-0.08, -1.18, -0.08), (-0.08, -1.36, -0.12)),
        Leg((0.08, -0.40, -0.10), (0.09, -0.78, -0.20), (0.08, -1.16, -0.26), (0.08, -1.32, -0.34)),
    ),
    (
        Arm((-0.18, 0.18, -0.04), (-0.30, 0.40, 0.20), (-0.22, 0.68, 0.02)),
        Arm((0.18, 0.14, -0.08), (0.24, -0.10, -0.18), (0.20, -0.34, -0.16)),
    ),
)


class _Body:
    """Adds one figure to a mesh at a place, turned by `heading` (radians, counter-clockwise from +y)."""

    def __init__(self, mesh: MeshBuilder, place: tuple[float, float, float], heading: float, height: float):
        self.mesh = mesh
        self.place = np.array(place)
        self.scale = height / 1.72
        self.turn = np.array([[cos(heading), -sin(heading), 0], [sin(heading), cos(heading), 0], [0, 0, 1]])

    def loft(self, centres, half_widths, half_depths, color: Color, across=(1.0, 0.0, 0.0)) -> None:
        """A closed skin over ellipses around `centres`. `across` is the direction of their width."""
        centres = np.array(centres, float)
        rings = []
        for i, centre in enumerate(centres):
            axis = centres[min(i + 1, len(centres) - 1)] - centres[max(i - 1, 0)]
            axis /= np.linalg.norm(axis)
            side = np.array(across) - axis * np.dot(across, axis)
            side /= np.linalg.norm(side)
            front = np.cross(axis, side)
            ring = [
                centre
                + side * half_widths[i] * cos(2 * pi * k / SIDES)
                + front * half_depths[i] * sin(2 * pi * k / SIDES)
                for k in range(SIDES)
            ]
            rings.append([tuple(self.place + self.turn @ (p * self.scale)) for p in ring])
        for low, high in zip(rings, rings[1:]):
            for k in range(SIDES):
                n = (k + 1) % SIDES
                self.mesh.face([low[k], low[n], high[n], high[k]], "painted", color)
        self.mesh.face(rings[0][::-1], "painted", color)
        self.mesh.face(rings[-1], "painted", color)

    def ellipsoid(self, centre, radii, color: Color, axis=(0.0, 0.0, 1.0), start: float = -1.0) -> None:
        """An ellipsoid along `axis`. A `start` above -1 cuts off its lower part."""
        heights = [sin(a) for a in np.linspace(np.arcsin(start) + 0.12, pi / 2 - 0.12, 7)]
        centres = [np.array(centre) + np.array(axis) * radii[2] * h for h in heights]
        shrink = [(1 - h * h) ** 0.5 for h in heights]
        self.loft(centres, [radii[0] * s for s in shrink], [radii[1] * s for s in shrink], color)

    def limb(self, joints, radii, color: Color) -> None:
        """A limb through joints. A point between each two joints shapes the muscles."""
        joints = [np.array(j, float) for j in joints]
        centres, widths = [], []
        for (a, b), (ra, rb) in zip(zip(joints, joints[1:]), zip(radii, radii[1:])):
            centres += [a, a * 0.6 + b * 0.4]
            widths += [ra, (ra * 0.55 + rb * 0.45) * 1.06]
        self.loft([*centres, joints[-1]], [*widths, radii[-1]], [*widths, radii[-1]], color)


@dataclass(frozen=True)
class Outfit:
    skin: Color
    hair: Color
    top: Color
    bottom: Color
    long_hair: bool = False
    skirt: bool = False
    bare_legs: bool = False
    bare_arms: bool = True


def outfit(random: Random, pose: Pose) -> Outfit:
    """Clothes for a mild evening."""
    top, bottom = random.sample(CLOTHES, 2)
    woman = random.random() < 0.5
    skirt = woman and pose.can_wear_skirt and random.random() < 0.7
    return Outfit(
        random.choice(SKIN),
        random.choice(HAIR),
        top,
        top if skirt else bottom,
        woman,
        skirt,
        skirt,
        random.random() < 0.6,
    )


def swimwear(random: Random, woman: bool) -> Outfit:
    color = random.choice(CLOTHES)
    skin = random.choice(SKIN)
    return Outfit(skin, random.choice(HAIR), color if woman else skin, color, woman, False, True, True)


def add_person(
    mesh: MeshBuilder,
    place: tuple[float, float, float],
    heading: float,
    pose: Pose,
    clothes: Outfit,
    height: float = 1.72,
) -> None:
    """Adds a figure. `heading` is in degrees clockwise from north."""
    body = _Body(mesh, place, -radians(heading), height)
    spine = np.array(pose.neck) - np.array(pose.pelvis)

    def along(t: float, sag: float = 0.0) -> np.ndarray:
        return np.array(pose.pelvis) + spine * t + np.array([0, sag, 0])

    torso = [
        along(-0.10),
        along(0.05),
        along(0.30, 0.01),
        along(0.55, 0.015),
        along(0.80, 0.01),
        along(0.93),
        along(1.02),
    ]
    widths = [0.135, 0.165, 0.138, 0.158, 0.180, 0.135, 0.060]
    depths = [0.085, 0.112, 0.095, 0.110, 0.108, 0.080, 0.055]
    body.loft(torso, widths, depths, clothes.top)
    body.limb([along(0.98), np.array(pose.head) * 0.75 + along(1.0) * 0.25], [0.056, 0.052], clothes.skin)
    body.ellipsoid(pose.head, (0.076, 0.094, 0.118), clothes.skin)
    head = np.array(pose.head)
    body.ellipsoid(head + (0, -0.016, 0.022), (0.084, 0.094, 0.112), clothes.hair, start=-0.15)
    if clothes.long_hair:
        body.ellipsoid(head + (0, -0.055, -0.06), (0.078, 0.055, 0.15), clothes.hair)

    leg_color = clothes.skin if clothes.bare_legs else clothes.bottom
    loose = 1.0 if clothes.bare_legs else 1.22
    for leg in pose.legs:
        body.limb([leg.hip, leg.knee, leg.ankle], [0.088 * loose**0.5, 0.058 * loose, 0.040 * loose * loose], leg_color)
        heel = np.array(leg.ankle) + (0, -0.03, -0.035)
        body.loft(
            [heel, (heel + leg.toe) / 2, leg.toe],
            [0.036, 0.046, 0.030],
            [0.034, 0.032, 0.020],
            clothes.bottom if not clothes.bare_legs else clothes.skin,
        )
    if clothes.bare_legs and not clothes.skirt:
        body.loft(
            [along(-0.16), along(-0.04), along(0.12)], [0.140, 0.172, 0.158], [0.095, 0.118, 0.108], clothes.bottom
        )
    if clothes.skirt:
        hem = np.array([pose.pelvis[0], pose.pelvis[1], 0.46])
        waist = along(0.30)
        body.loft(
            [hem, hem * 0.5 + waist * 0.5, along(0.06), waist],
            [0.245, 0.212, 0.178, 0.142],
            [0.19, 0.165, 0.125, 0.10],
            clothes.bottom,
        )
    for arm in pose.arms:
        body.limb(
            [arm.shoulder, arm.elbow, arm.wrist],
            [0.056, 0.042, 0.029],
            clothes.skin if clothes.bare_arms else clothes.top,
        )
        if clothes.bare_arms and clothes.top != clothes.skin:
            sleeve = np.array(arm.shoulder) * 0.55 + np.array(arm.elbow) * 0.45
            body.limb([arm.shoulder, sleeve], [0.064, 0.058], clothes.top)
        forearm = np.array(arm.wrist) - np.array(arm.elbow)
        body.limb([arm.wrist, np.array(arm.wrist) + forearm * 0.5], [0.034, 0.022], clothes.skin)


def add_people(scene: Scene, name: str, places: list[tuple[float, float, float, float, Pose]]) -> None:
    """Dressed people at (x, y, z, heading, pose), as one object."""
    random = scene.random(name)
    mesh = scene.mesh(name)
    for x, y, z, heading, pose in places:
        add_person(mesh, (x, y, z), heading, pose, outfit(random, pose), random.uniform(1.62, 1.82))
    mesh.build(smooth_angle=70)
