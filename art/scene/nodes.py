"""Shorthands for shader and compositor node graphs."""

import bpy

Color = tuple[float, float, float]
Socket = bpy.types.NodeSocket


class Graph:
    """A node tree with a method for each kind of node in the scene. The methods return output sockets."""

    def __init__(self, tree: bpy.types.NodeTree, clear: bool = True):
        self.tree = tree
        if clear:
            tree.nodes.clear()

    def add(self, kind: str, inputs: dict | None = None, **properties) -> bpy.types.Node:
        """Adds a node. `inputs` maps an input's name or index to a value or to a socket that feeds it."""
        node = self.tree.nodes.new(kind)
        for name, value in properties.items():
            setattr(node, name, value)
        for key, value in (inputs or {}).items():
            self.feed(node.inputs[key], value)
        return node

    def feed(self, target: Socket, value) -> None:
        if isinstance(value, Socket):
            self.tree.links.new(value, target)
        elif target.type == "RGBA" and len(value) == 3:
            target.default_value = (*value, 1)
        else:
            target.default_value = value

    def math(self, operation: str, a, b=None, c=None, clamp: bool = False) -> Socket:
        inputs = {i: v for i, v in enumerate((a, b, c)) if v is not None}
        return self.add("ShaderNodeMath", inputs, operation=operation, use_clamp=clamp).outputs[0]

    def vector(self, operation: str, a, b=None) -> Socket:
        """Adds a vector operation. LENGTH and DOT_PRODUCT return a number, all others a vector."""
        inputs = {i: v for i, v in enumerate((a, b)) if v is not None}
        node = self.add("ShaderNodeVectorMath", inputs, operation=operation)
        return node.outputs["Value" if operation in ("LENGTH", "DOT_PRODUCT", "DISTANCE") else "Vector"]

    def ramp(self, factor, stops: list[tuple[float, Color]], interpolation: str = "EASE") -> Socket:
        node = self.add("ShaderNodeValToRGB", {0: factor})
        ramp = node.color_ramp
        ramp.interpolation = interpolation
        while len(ramp.elements) < len(stops):
            ramp.elements.new(0.5)
        for element, (position, color) in zip(ramp.elements, stops):
            element.position = position
            element.color = (*color, 1)
        return node.outputs[0]

    def map_range(self, value, low: float, high: float, to_low: float = 0.0, to_high: float = 1.0) -> Socket:
        """A smooth step from `low` to `high`."""
        inputs = {"Value": value, "From Min": low, "From Max": high, "To Min": to_low, "To Max": to_high}
        return self.add("ShaderNodeMapRange", inputs, interpolation_type="SMOOTHSTEP").outputs[0]

    def mix(self, factor, a, b, blend: str = "MIX") -> Socket:
        """Mixes two colours."""
        return self.add("ShaderNodeMix", {0: factor, 6: a, 7: b}, data_type="RGBA", blend_type=blend).outputs[2]

    def mix_shader(self, factor, a: Socket, b: Socket) -> Socket:
        return self.add("ShaderNodeMixShader", {0: factor, 1: a, 2: b}).outputs[0]

    def separate(self, vector: Socket) -> tuple[Socket, Socket, Socket]:
        return tuple(self.add("ShaderNodeSeparateXYZ", {0: vector}).outputs)

    def combine(self, x, y, z=0.0) -> Socket:
        return self.add("ShaderNodeCombineXYZ", {0: x, 1: y, 2: z}).outputs[0]

    def noise(
        self, vector: Socket, scale: float, detail: float = 2.0, roughness: float = 0.5, distortion: float = 0.0
    ) -> Socket:
        inputs = {"Vector": vector, "Scale": scale, "Detail": detail, "Roughness": roughness, "Distortion": distortion}
        return self.add("ShaderNodeTexNoise", inputs).outputs[0]

    def white_noise(self, vector: Socket) -> tuple[Socket, Socket]:
        """A random number and a random colour for each value of `vector`."""
        node = self.add("ShaderNodeTexWhiteNoise", {0: vector}, noise_dimensions="3D")
        return node.outputs[0], node.outputs[1]

    def face_color(self) -> Socket:
        """The colour that MeshBuilder stored with the face."""
        return self.add("ShaderNodeAttribute", attribute_name="tint").outputs[0]

    def position(self) -> Socket:
        return self.add("ShaderNodeNewGeometry").outputs["Position"]

    def principled(self, **inputs) -> bpy.types.Node:
        """A principled shader. Names of inputs have underscores instead of spaces, such as `Base_Color`."""
        return self.add("ShaderNodeBsdfPrincipled", {name.replace("_", " "): value for name, value in inputs.items()})


def new_group(
    name: str, inputs: dict[str, str], outputs: dict[str, str]
) -> tuple[Graph, dict[str, Socket], bpy.types.Node]:
    """A reusable node group: its graph, its input sockets by name and its output node."""
    tree = bpy.data.node_groups.new(name, "ShaderNodeTree")
    for socket, kind in inputs.items():
        tree.interface.new_socket(socket, in_out="INPUT", socket_type=kind)
    for socket, kind in outputs.items():
        tree.interface.new_socket(socket, in_out="OUTPUT", socket_type=kind)
    graph = Graph(tree)
    start, end = graph.add("NodeGroupInput"), graph.add("NodeGroupOutput")
    return graph, {socket: start.outputs[socket] for socket in inputs}, end
