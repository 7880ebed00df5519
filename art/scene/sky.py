"""The dusk sky, the last light of the sun and the haze between the camera and the city."""

from math import cos, e, radians, sin

import bpy
from mathutils import Vector

from nodes import Color, Graph, Socket, new_group
from views import View

WORLD_STRENGTH = 0.62
# Brightness of the sky on diffuse surfaces, relative to the sky that the camera sees. It imitates a long exposure.
DIFFUSE_FILL = 1.35
HAZE_STRENGTH = 0.57
HAZE_SCALE_HEIGHT = 420.0

COLD = [
    (0.0, (0.235, 0.215, 0.29)),
    (0.07, (0.165, 0.185, 0.31)),
    (0.2, (0.070, 0.120, 0.265)),
    (0.45, (0.024, 0.058, 0.160)),
    (1.0, (0.010, 0.028, 0.09)),
]
WARM = [
    (0.0, (1.15, 0.52, 0.20)),
    (0.05, (0.98, 0.49, 0.25)),
    (0.13, (0.62, 0.38, 0.32)),
    (0.26, (0.22, 0.23, 0.36)),
    (0.5, (0.045, 0.095, 0.23)),
    (1.0, (0.013, 0.038, 0.12)),
]

# Brightness of the sky by day. The view's exposure compensates for it, so lit windows look dark.
DAYLIGHT = 12.0
DAY = [
    (0.0, (0.80, 0.84, 0.88)),
    (0.08, (0.62, 0.73, 0.86)),
    (0.25, (0.36, 0.55, 0.82)),
    (0.6, (0.20, 0.39, 0.72)),
    (1.0, (0.13, 0.29, 0.62)),
]


def brightness(view: View) -> float:
    return DAYLIGHT if view.sun else 1.0


def glow_direction(view: View) -> Vector:
    """The compass direction of the afterglow as a level unit vector."""
    azimuth = radians(view.glow_azimuth)
    return Vector((sin(azimuth), cos(azimuth), 0))


def toward_glow(graph: Graph, direction: Socket, view: View, power: float) -> Socket:
    """1 towards the afterglow, 0 away from it."""
    cosine = graph.vector("DOT_PRODUCT", direction, glow_direction(view))
    return graph.math("POWER", graph.math("MULTIPLY_ADD", cosine, 0.5, 0.5, clamp=True), power)


def gradient_group(view: View) -> bpy.types.NodeTree:
    """A node group that returns the colour of the clear sky in a direction."""
    graph, inputs, end = new_group("sky gradient", {"Direction": "NodeSocketVector"}, {"Color": "NodeSocketColor"})
    direction = graph.vector("NORMALIZE", inputs["Direction"])
    height = graph.math("MAXIMUM", graph.separate(direction)[2], 0.0)
    if view.sun:
        graph.feed(end.inputs[0], graph.ramp(height, DAY, "B_SPLINE"))
        return graph.tree
    cold = graph.ramp(height, COLD, "B_SPLINE")
    warm = graph.ramp(height, WARM, "B_SPLINE")
    graph.feed(end.inputs[0], graph.mix(toward_glow(graph, direction, view, 3.4), cold, warm))
    return graph.tree


def build_world(blender: bpy.types.Scene, view: View, gradient: bpy.types.NodeTree) -> None:
    world = bpy.data.worlds.new("dusk")
    blender.world = world
    world.use_nodes = True
    graph = Graph(world.node_tree)
    direction = graph.add("ShaderNodeTexCoord").outputs["Generated"]
    clear = graph.add("ShaderNodeGroup", {}, node_tree=gradient)
    graph.feed(clear.inputs[0], direction)
    color = graph.mix(cloud_cover(graph, direction), clear.outputs[0], cloud_color(graph, direction, view))
    diffuse = graph.add("ShaderNodeLightPath").outputs["Is Diffuse Ray"]
    strength = graph.math(
        "MULTIPLY", graph.math("MULTIPLY_ADD", diffuse, DIFFUSE_FILL, WORLD_STRENGTH), brightness(view)
    )
    background = graph.add("ShaderNodeBackground", {0: color, 1: strength})
    graph.add("ShaderNodeOutputWorld", {0: background.outputs[0]})


def cloud_cover(graph: Graph, direction: Socket) -> Socket:
    """The cover of thin cloud, from 0 to 1: soft banks, and fine streaks of cirrus above them."""
    x, y, z = graph.separate(direction)
    # Clouds are on a level plane, so they look denser towards the horizon.
    distance = graph.math("ADD", graph.math("MAXIMUM", z, 0.0), 0.16)
    plane = graph.combine(graph.math("DIVIDE", x, distance), graph.math("DIVIDE", y, distance))
    stretched = graph.vector("MULTIPLY", plane, (0.62, 1.15, 1))
    banks = graph.map_range(graph.noise(stretched, 0.9, detail=9, roughness=0.57, distortion=0.35), 0.44, 0.70)
    mapping = {0: plane, "Rotation": (0, 0, radians(-24)), "Scale": (0.42, 2.1, 1), "Location": (3.1, 1.7, 0)}
    combed = graph.add("ShaderNodeMapping", mapping).outputs[0]
    cirrus = graph.map_range(graph.noise(combed, 1.35, detail=11, roughness=0.62, distortion=0.55), 0.50, 0.80)
    fade = graph.ramp(z, [(0.0, (0.12,) * 3), (0.10, (1.0,) * 3), (0.5, (0.6,) * 3), (1.0, (0.2,) * 3)])
    cover = graph.math("ADD", graph.math("MULTIPLY", banks, 0.46), graph.math("MULTIPLY", cirrus, 0.36), clamp=True)
    return graph.math("MULTIPLY", cover, fade)


def cloud_color(graph: Graph, direction: Socket, view: View) -> Socket | Color:
    if view.sun:
        return (0.95, 0.95, 0.95)
    return graph.mix(toward_glow(graph, direction, view, 1.6), (0.15, 0.14, 0.23), (1.0, 0.46, 0.30))


def add_sun(blender: bpy.types.Scene, azimuth: float, elevation: float) -> None:
    """The sun by day. Angles are in degrees."""
    light = bpy.data.lights.new("sun", "SUN")
    light.energy, light.color, light.angle = 4.6 * DAYLIGHT, (1, 0.86, 0.68), radians(0.8)
    side, height = radians(azimuth), radians(elevation)
    travel = Vector((-sin(side) * cos(height), -cos(side) * cos(height), -sin(height)))
    item = bpy.data.objects.new("sun", light)
    item.rotation_euler = travel.to_track_quat("-Z", "Y").to_euler()
    blender.collection.objects.link(item)


def add_afterglow(blender: bpy.types.Scene, view: View) -> None:
    """A large soft light near the sunset, rotated slightly to rake the facades."""
    light = bpy.data.lights.new("afterglow", "SUN")
    light.energy, light.color, light.angle = 1.8, (1, 0.50, 0.27), radians(9)
    azimuth = radians(view.glow_azimuth) - 0.75
    travel = Vector((-sin(azimuth), -cos(azimuth), -0.10))
    item = bpy.data.objects.new("afterglow", light)
    # The sun is below the horizon, so water must not reflect it.
    item.visible_glossy = False
    item.rotation_euler = travel.to_track_quat("-Z", "Y").to_euler()
    blender.collection.objects.link(item)


def haze_group(view: View, gradient: bpy.types.NodeTree) -> bpy.types.NodeTree:
    """A node group that blends a shader into the sky with distance. Unlike a volume, it adds no noise."""
    graph, inputs, end = new_group("haze", {"Surface": "NodeSocketShader"}, {"Surface": "NodeSocketShader"})
    position = graph.position()
    ray = graph.vector("SUBTRACT", position, view.location)
    level = graph.vector("MULTIPLY", graph.vector("NORMALIZE", ray), (1, 1, 0))
    sky = graph.add("ShaderNodeGroup", {}, node_tree=gradient)
    graph.feed(sky.inputs[0], graph.vector("ADD", level, (0, 0, 0.085)))
    distance = graph.math("MAXIMUM", graph.math("SUBTRACT", graph.vector("LENGTH", ray), view.haze_start), 0.0)
    height = graph.math("MAXIMUM", graph.separate(position)[2], 0.0)
    thinning = graph.math("POWER", e, graph.math("DIVIDE", height, -HAZE_SCALE_HEIGHT))
    depth = graph.math("MULTIPLY", graph.math("DIVIDE", distance, -view.haze_length), thinning)
    amount = graph.math("SUBTRACT", 1.0, graph.math("POWER", e, depth))
    glow = graph.add("ShaderNodeEmission", {0: sky.outputs[0], 1: HAZE_STRENGTH * brightness(view)})
    graph.feed(end.inputs[0], graph.mix_shader(amount, inputs["Surface"], glow.outputs[0]))
    return graph.tree
