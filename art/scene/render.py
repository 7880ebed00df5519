"""Renders one view: python render.py VIEW --width 2400 --samples 96 --out FILE [--border x0,x1,y0,y1]"""

import argparse
import importlib
import json
import os
import sys
import time
import traceback
from math import degrees
from pathlib import Path

import bpy

from interior.unit import claim, load_rooms
from nodes import Graph
from stage import Scene, new_scene
from views import FLATS, VIEWS, View


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("view", choices=VIEWS)
    parser.add_argument("--width", type=int, default=800)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--out", required=True, help="PNG file, 16 bit")
    parser.add_argument("--threads", type=int, default=0, help="limit of threads, 0 for all cores")
    parser.add_argument("--minutes", type=float, default=0, help="end sampling after this time, 0 for no limit")
    parser.add_argument("--border", help="x0,x1,y0,y1 from 0 to 1, origin at the bottom left: render only this part")
    return parser.parse_args()


def set_up_render(blender: bpy.types.Scene, view: View, arguments: argparse.Namespace) -> None:
    render = blender.render
    render.engine = "CYCLES"
    render.resolution_x = arguments.width
    render.resolution_y = round(arguments.width / view.aspect)
    render.resolution_percentage = 100
    if arguments.threads:
        render.threads_mode, render.threads = "FIXED", arguments.threads
    render.filepath = arguments.out
    render.image_settings.file_format = "PNG"
    render.image_settings.color_depth = "16"
    if arguments.border:
        render.use_border = render.use_crop_to_border = True
        x0, x1, y0, y1 = map(float, arguments.border.split(","))
        render.border_min_x, render.border_max_x, render.border_min_y, render.border_max_y = x0, x1, y0, y1

    cycles = blender.cycles
    cycles.device = "CPU"
    cycles.samples, cycles.time_limit = arguments.samples, 60 * arguments.minutes
    inside = "interior.flat" in view.parts
    cycles.use_adaptive_sampling = True
    cycles.adaptive_threshold, cycles.adaptive_min_samples = (0.03, 16) if inside else (0.015, 0)
    cycles.use_denoising, cycles.denoiser = True, "OPENIMAGEDENOISE"
    cycles.denoising_input_passes, cycles.denoising_prefilter = "RGB_ALBEDO_NORMAL", "ACCURATE"
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = (10, 6, 4) if inside else (6, 2, 4)
    cycles.transmission_bounces, cycles.transparent_max_bounces = 2, 16
    cycles.caustics_reflective = cycles.caustics_refractive = False
    # Clamping prevents fireflies and loses little light.
    cycles.sample_clamp_indirect, cycles.sample_clamp_direct = 3, 12
    cycles.use_light_tree, cycles.blur_glossy = True, 0.5

    blender.view_settings.view_transform = "AgX"
    blender.view_settings.look = "AgX - Medium High Contrast"
    blender.view_settings.exposure = view.exposure


def add_bloom(blender: bpy.types.Scene) -> None:
    """Adds a slight glow around lamps, as in a camera lens."""
    blender.use_nodes = True
    graph = Graph(blender.node_tree)
    layers = graph.add("CompositorNodeRLayers")
    inputs = {"Image": layers.outputs[0], "Threshold": 1.1, "Strength": 0.3, "Size": 0.45, "Smoothness": 0.3}
    glare = graph.add("CompositorNodeGlare", inputs, glare_type="BLOOM", quality="HIGH")
    graph.add("CompositorNodeComposite", {0: glare.outputs[0]})


def write_record(scene: Scene, arguments: argparse.Namespace, seconds: float) -> None:
    """Writes what the picture of a room shows beside it, for the tests in `art/rooms`."""
    flat = FLATS[scene.view.name]
    camera = scene.blender.camera
    azimuth = -degrees(camera.rotation_euler.z)
    record = {
        "claim": claim(load_rooms()[scene.view.name]),
        "camera": {
            "location": [round(part, 4) for part in camera.location],
            "azimuth": round(azimuth, 3),
            "lens": camera.data.lens,
        },
        "ceiling": flat.ceiling,
        "furniture": scene.built,
        "samples": arguments.samples,
        "seconds": round(seconds),
    }
    Path(arguments.out).with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n")


def main() -> None:
    arguments = parse_arguments()
    view = VIEWS[arguments.view]
    start = time.monotonic()
    scene = new_scene(view)
    for part in view.parts:
        importlib.import_module(part).build(scene)
        print(f"{part}: {time.monotonic() - start:.1f} s", flush=True)
    planted = scene.planting.build()
    set_up_render(scene.blender, view, arguments)
    add_bloom(scene.blender)
    built = time.monotonic()
    print(f"built the scene with {planted} plants in {built - start:.1f} s", flush=True)
    bpy.ops.render.render(write_still=True)
    if view.name in load_rooms():
        write_record(scene, arguments, time.monotonic() - start)
    print(f"rendered in {time.monotonic() - built:.1f} s: {arguments.out}", flush=True)


if __name__ == "__main__":
    status = 0
    try:
        main()
    except Exception:
        traceback.print_exc()
        status = 1
    # Blender as a Python module sometimes does not shut down, so exit without its cleanup.
    sys.stdout.flush()
    os._exit(status)
