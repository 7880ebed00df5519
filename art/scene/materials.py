"""All materials by name."""

from collections.abc import Callable
from math import e

import bpy

from city.materials import SURFACES as CITY_SURFACES
from interior.surfaces import AVERAGES
from interior.surfaces import SURFACES as ROOM_SURFACES
from nodes import Color, Graph, Socket
from podium.finishes import FINISHES

Surface = Callable[[Graph], Socket]


def plain(
    color: Color,
    roughness: float = 0.5,
    metallic: float = 0.0,
    glow: Color | None = None,
    glow_strength: float = 0.0,
    mottle: float = 0.0,
) -> Surface:
    """One colour. `mottle` is the scale of lighter and darker patches, or 0 for none."""

    def surface(graph: Graph) -> Socket:
        base: Color | Socket = color
        if mottle:
            position = graph.add("ShaderNodeTexCoord").outputs["Object"]
            patches = graph.noise(position, mottle, detail=6)
            base = graph.mix(patches, tuple(c * 0.65 for c in color), tuple(min(1.0, c * 1.3) for c in color))
        node = graph.principled(Base_Color=base, Roughness=roughness, Metallic=metallic)
        if glow:
            graph.feed(node.inputs["Emission Color"], glow)
            graph.feed(node.inputs["Emission Strength"], glow_strength)
        return node.outputs[0]

    return surface


def glowing(graph: Graph) -> Socket:
    """Light in the colour of the face."""
    return graph.add("ShaderNodeEmission", {0: graph.face_color(), 1: 1.0}).outputs[0]


def painted(graph: Graph) -> Socket:
    """A matt surface in the colour of the face."""
    return graph.principled(Base_Color=graph.face_color(), Roughness=0.6).outputs[0]


def glazing(tint: Color, reflection: float) -> Surface:
    """A single pane: clear from the front, a mirror at grazing angles. Refraction would be slower and add noise."""

    def surface(graph: Graph) -> Socket:
        facing = graph.add("ShaderNodeLayerWeight", {"Blend": 0.22}).outputs[0]
        amount = graph.math("MULTIPLY_ADD", facing, 0.75, reflection, clamp=True)
        clear = graph.add("ShaderNodeBsdfTransparent", {"Color": tint}).outputs[0]
        mirror = graph.add("ShaderNodeBsdfGlossy", {"Roughness": 0.015, "Color": (0.93, 0.95, 1)}).outputs[0]
        return graph.mix_shader(amount, clear, mirror)

    return surface


def river_water(graph: Graph) -> Socket:
    """Calm water: long ripples, with smoother lanes between rougher ones."""
    node = graph.principled(Base_Color=(0.010, 0.026, 0.034), Roughness=0.035, IOR=1.33, Specular_IOR_Level=1.0)

    def stretched(x: float, y: float) -> Socket:
        return graph.add("ShaderNodeMapping", {0: graph.position(), "Scale": (x, y, 1)}).outputs[0]

    ripples = graph.noise(stretched(0.10, 0.26), 1.0, detail=3, roughness=0.52)
    lanes = graph.noise(stretched(0.0035, 0.016), 1.0, detail=2, distortion=0.4)
    strength = graph.map_range(lanes, 0.36, 0.62, 0.30, 1.0)
    bump = graph.add("ShaderNodeBump", {"Strength": strength, "Distance": 0.11, "Height": ripples})
    graph.feed(node.inputs["Normal"], bump.outputs[0])
    return node.outputs[0]


def quay_wall(graph: Graph) -> Socket:
    """Granite courses, lit from above by the line of light under the coping."""
    position = graph.position()
    color = graph.mix(graph.noise(position, 0.35, detail=6), (0.22, 0.20, 0.175), (0.40, 0.365, 0.32))
    below_light = graph.math("ADD", graph.separate(position)[2], 0.3)
    wash = graph.math("MULTIPLY", graph.math("POWER", e, graph.math("MULTIPLY", below_light, 1.5)), 0.30)
    return graph.principled(
        Base_Color=color, Roughness=0.75, Emission_Color=(1, 0.56, 0.24), Emission_Strength=wash
    ).outputs[0]


def pool_water(graph: Graph) -> Socket:
    inputs = {
        "Base_Color": (0.02, 0.16, 0.20),
        "Roughness": 0.02,
        "Emission_Color": (0.04, 0.36, 0.44),
        "Emission_Strength": 0.30,
    }
    return graph.principled(**inputs).outputs[0]


def foliage(shade: Color, sunlit: Color) -> Surface:
    """Translucent leaves. The colour of the face, a grey, mixes the two greens."""

    def surface(graph: Graph) -> Socket:
        amount = graph.add("ShaderNodeSeparateColor", {0: graph.face_color()}).outputs[0]
        color = graph.mix(amount, shade, sunlit)
        front = graph.add("ShaderNodeBsdfDiffuse", {0: color}).outputs[0]
        back = graph.add("ShaderNodeBsdfTranslucent", {0: color}).outputs[0]
        return graph.mix_shader(0.45, front, back)

    return surface


def street_ground(graph: Graph) -> Socket:
    """The ground of the city: dark blocks between lit streets."""
    position = graph.position()
    color = graph.mix(graph.noise(position, 0.012, detail=5), (0.025, 0.032, 0.022), (0.06, 0.06, 0.055))
    spots = graph.add("ShaderNodeTexVoronoi", {"Vector": position, "Scale": 0.035}).outputs["Distance"]
    light = graph.ramp(spots, [(0.0, (1, 0.56, 0.22)), (0.16, (0.10, 0.05, 0.018)), (0.5, (0.012, 0.008, 0.004))])
    return graph.principled(Base_Color=color, Roughness=0.8, Emission_Color=light, Emission_Strength=0.55).outputs[0]


SURFACES: dict[str, Surface] = {
    "slab": plain((0.78, 0.74, 0.68), 0.42),
    "soffit": plain((0.62, 0.56, 0.48), 0.6, glow=(1, 0.66, 0.36), glow_strength=0.05),
    "bronze": plain((0.42, 0.27, 0.15), 0.32, 0.85),
    "dark": plain((0.035, 0.038, 0.042), 0.45, 0.3),
    "stone": plain((0.55, 0.48, 0.40), 0.6, mottle=0.4),
    "quay": quay_wall,
    "paving": plain((0.34, 0.30, 0.26), 0.7, mottle=0.3),
    "timber": plain((0.30, 0.17, 0.085), 0.55, mottle=1.2),
    "lawn": plain((0.05, 0.10, 0.028), 0.95, mottle=0.8),
    "roof": plain((0.11, 0.11, 0.115), 0.85),
    "glass": glazing((0.80, 0.88, 0.90), 0.13),
    "rail": glazing((0.90, 0.94, 0.94), 0.06),
    "glowing": glowing,
    "painted": painted,
    "water": river_water,
    "pool": pool_water,
    "leaf": foliage((0.085, 0.175, 0.045), (0.30, 0.41, 0.11)),
    "palm leaf": foliage((0.095, 0.185, 0.060), (0.29, 0.42, 0.14)),
    "bark": plain((0.16, 0.115, 0.08), 0.9, mottle=3.0),
    "street": street_ground,
}


def build(haze: bpy.types.NodeTree) -> dict[str, bpy.types.Material]:
    """Every material by name, with haze outside."""
    outside = {**SURFACES, **FINISHES, **CITY_SURFACES}
    return {
        **{name: material(name, hazy(surface, haze)) for name, surface in outside.items()},
        **{name: material(name, averaged(name, surface)) for name, surface in ROOM_SURFACES.items()},
    }


def hazy(surface: Surface, haze: bpy.types.NodeTree) -> Surface:
    def seen_from_afar(graph: Graph) -> Socket:
        group = graph.add("ShaderNodeGroup", {}, node_tree=haze)
        graph.feed(group.inputs[0], surface(graph))
        return group.outputs[0]

    return seen_from_afar


def averaged(name: str, surface: Surface) -> Surface:
    """Diffuse rays see only the average colour of a surface, which takes less time than its texture."""

    def seen_twice(graph: Graph) -> Socket:
        color = AVERAGES[name] or graph.face_color()
        plain = graph.add("ShaderNodeBsdfDiffuse", {0: color}).outputs[0]
        return graph.mix_shader(graph.add("ShaderNodeLightPath").outputs["Is Diffuse Ray"], surface(graph), plain)

    return seen_twice if name in AVERAGES else surface


def material(name: str, surface: Surface) -> bpy.types.Material:
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    graph = Graph(made.node_tree)
    graph.add("ShaderNodeOutputMaterial", {0: surface(graph)})
    # Otherwise thousands of lit windows displace the lamps in Cycles' light tree. Rays that hit a window still see it.
    made.cycles.emission_sampling = "NONE"
    return made
