"""The scene under construction, for all its parts."""

from dataclasses import dataclass, field
from math import radians
from random import Random

import bpy
from mathutils import Vector

import materials
import sky
from mesh import Color, MeshBuilder
from planting import Planting
from views import View

LAMP_COLOR: Color = (1.0, 0.66, 0.36)


@dataclass
class Scene:
    """The scene under construction. Parts use `random`, so a change of one part does not change another."""

    view: View
    blender: bpy.types.Scene
    materials: dict[str, bpy.types.Material]
    planting: Planting
    # The plan's furniture that was built, for the record of the picture.
    built: list[dict] = field(default_factory=list)

    def random(self, part: str) -> Random:
        """A random source that depends only on the name of the part."""
        return Random(part)

    def mesh(self, name: str) -> MeshBuilder:
        return MeshBuilder(name, self.materials, self.blender.collection)

    def lamp(self, x: float, y: float, z: float, power: float, color: Color = LAMP_COLOR, radius: float = 0.25) -> None:
        """A point light, `power` in watts."""
        light = bpy.data.lights.new("lamp", "POINT")
        light.energy, light.color, light.shadow_soft_size = power, color, radius
        item = bpy.data.objects.new("lamp", light)
        item.location = (x, y, z)
        # The camera shows the fitting instead of the point of light.
        item.visible_camera = item.visible_glossy = False
        self.blender.collection.objects.link(item)

    def spot(self, x: float, y: float, z: float, power: float) -> None:
        """A downlight, `power` in watts."""
        light = bpy.data.lights.new("downlight", "SPOT")
        light.energy, light.color, light.shadow_soft_size = power, (1.0, 0.78, 0.52), 0.05
        light.spot_size, light.spot_blend = radians(105), 0.8
        item = bpy.data.objects.new("downlight", light)
        item.location = (x, y, z)
        self.blender.collection.objects.link(item)


def new_scene(view: View) -> Scene:
    """An empty scene with sky, materials and camera."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    blender = bpy.context.scene
    gradient = sky.gradient_group(view)
    sky.build_world(blender, view, gradient)
    if view.sun:
        sky.add_sun(blender, *view.sun)
    else:
        sky.add_afterglow(blender, view)
    haze = sky.haze_group(view, gradient)
    made = materials.build(haze)
    add_camera(blender, view)
    return Scene(view, blender, made, Planting(made, blender.collection, Vector(view.location)))


def add_camera(blender: bpy.types.Scene, view: View) -> None:
    camera = bpy.data.cameras.new("camera")
    camera.lens, camera.sensor_width, camera.sensor_fit = view.lens, 36, "HORIZONTAL"
    camera.shift_x, camera.shift_y = view.shift
    camera.clip_start, camera.clip_end = 0.1, 20000
    item = bpy.data.objects.new("camera", camera)
    item.location = view.location
    item.rotation_euler = (radians(90), 0, -radians(view.azimuth))
    blender.collection.objects.link(item)
    blender.camera = item
