"""Places many copies of few meshes. Blender instances a point cloud for each mesh at render time, to save memory."""

import bpy
import numpy as np

Vector3 = tuple[float, float, float]


class Scatter:
    """Collects placements of meshes. `build` turns the placements of each mesh into one instancing object."""

    def __init__(self, blender: bpy.types.Scene):
        self._blender = blender
        self._placements: dict[str, tuple[bpy.types.Mesh, list[Vector3], list[float], list[Vector3]]] = {}

    def add(
        self, mesh: bpy.types.Mesh, x: float, y: float, z: float, angle: float = 0.0, scale: float | Vector3 = 1.0
    ) -> None:
        """Adds a copy at a point, rotated by `angle` radians about the vertical."""
        _, points, angles, scales = self._placements.setdefault(mesh.name, (mesh, [], [], []))
        points.append((x, y, z))
        angles.append(angle)
        scales.append(scale if isinstance(scale, tuple) else (scale, scale, scale))

    def build(self) -> int:
        """Adds all copies to the scene and returns their number."""
        models = bpy.data.collections.new("models")
        for mesh, points, angles, scales in self._placements.values():
            model = bpy.data.objects.new(f"model {mesh.name}", mesh)
            models.objects.link(model)
            cloud = bpy.data.meshes.new(f"points {mesh.name}")
            cloud.from_pydata(points, [], [])
            turns = np.zeros((len(angles), 3), dtype=np.float32)
            turns[:, 2] = angles
            for name, values in (("turn", turns), ("size", np.array(scales, dtype=np.float32))):
                cloud.attributes.new(name, "FLOAT_VECTOR", "POINT").data.foreach_set("vector", values.ravel())
            item = bpy.data.objects.new(f"copies {mesh.name}", cloud)
            self._blender.collection.objects.link(item)
            item.modifiers.new("instances", "NODES").node_group = instancing_group(model)
        return sum(len(points) for _, points, _, _ in self._placements.values())


def instancing_group(model: bpy.types.Object) -> bpy.types.NodeTree:
    """Geometry nodes that instance `model` at every point, with the point's `turn` and `size`."""
    tree = bpy.data.node_groups.new(f"instances {model.name}", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes, link = tree.nodes, tree.links.new

    def attribute(name: str) -> bpy.types.NodeSocket:
        node = nodes.new("GeometryNodeInputNamedAttribute")
        node.data_type = "FLOAT_VECTOR"
        node.inputs["Name"].default_value = name
        return node.outputs["Attribute"]

    source = nodes.new("GeometryNodeObjectInfo")
    source.inputs["Object"].default_value = model
    copies = nodes.new("GeometryNodeInstanceOnPoints")
    turn = nodes.new("FunctionNodeEulerToRotation")
    link(nodes.new("NodeGroupInput").outputs[0], copies.inputs["Points"])
    link(source.outputs["Geometry"], copies.inputs["Instance"])
    link(attribute("turn"), turn.inputs[0])
    link(turn.outputs[0], copies.inputs["Rotation"])
    link(attribute("size"), copies.inputs["Scale"])
    link(copies.outputs[0], nodes.new("NodeGroupOutput").inputs[0])
    return tree
