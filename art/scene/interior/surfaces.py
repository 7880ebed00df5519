"""Materials of rooms for close views: timber, stone, linen, wool, plaster. One unit is one metre."""

from math import pi

from nodes import Color, Graph, Socket
from podium.finishes import Surface


def object_space(graph: Graph, x: float = 1.0, y: float = 1.0, z: float = 1.0, turned: float = 0.0) -> Socket:
    """The object's coordinates, scaled and rotated, so a grain follows the orientation of the flat."""
    inputs = {0: graph.add("ShaderNodeTexCoord").outputs["Object"], "Scale": (x, y, z), "Rotation": (0, 0, turned)}
    return graph.add("ShaderNodeMapping", inputs).outputs[0]


def bump(graph: Graph, height: Socket, distance: float, strength: float = 1.0) -> Socket:
    return graph.add("ShaderNodeBump", {"Strength": strength, "Distance": distance, "Height": height}).outputs[0]


def shaded(graph: Graph, color, factor: Socket) -> Socket:
    return graph.mix(1.0, color, graph.combine(factor, factor, factor), blend="MULTIPLY")


def plaster(color: Color, depth: float = 0.0006) -> Surface:
    def surface(graph: Graph) -> Socket:
        grain = graph.noise(object_space(graph), 60, detail=4)
        broad = graph.noise(object_space(graph), 1.2, detail=3)
        tone = graph.math("MULTIPLY_ADD", broad, 0.06, 0.97)
        return graph.principled(
            Base_Color=shaded(graph, color, tone), Roughness=0.85, Normal=bump(graph, grain, depth)
        ).outputs[0]

    return surface


def timber(light: Color, dark: Color, axis: str, roughness: float = 0.42, board: float = 0.0) -> Surface:
    """Veneer with its grain along an axis. `board` is the width of floor boards along the axis, or 0 for none."""

    def surface(graph: Graph) -> Socket:
        turned = 0.0 if axis == "x" else 1.5708
        along = {"x": (1, 16, 16), "y": (16, 1, 16), "z": (16, 16, 1)}[axis]
        figure = graph.noise(object_space(graph, *along), 1.1, detail=7, roughness=0.62, distortion=0.55)
        stretch = (0.9 * part if part == 1 else 14 * part for part in along)
        pores = graph.noise(object_space(graph, *stretch), 1.0, detail=3)
        color = graph.mix(graph.map_range(figure, 0.30, 0.72), dark, light)
        tone = graph.math("MULTIPLY_ADD", pores, 0.26, 0.87)
        height = graph.math("MULTIPLY", pores, 0.25)
        if board:
            inputs = {
                "Vector": object_space(graph, turned=turned),
                "Scale": 1.0,
                "Color1": (0.78, 0.78, 0.78),
                "Color2": (1.08, 1.06, 1.03),
                "Mortar": (0.28, 0.25, 0.22),
                "Mortar Size": 0.0016,
                "Mortar Smooth": 0.3,
                "Bias": 0.0,
                "Brick Width": 2.1,
                "Row Height": board,
            }
            bricks = graph.add("ShaderNodeTexBrick", inputs, offset=0.37)
            color = graph.mix(1.0, color, bricks.outputs[0], blend="MULTIPLY")
            height = graph.math("SUBTRACT", height, bricks.outputs[1])
        gloss = graph.math("MULTIPLY_ADD", figure, 0.16, roughness - 0.08)
        return graph.principled(
            Base_Color=shaded(graph, color, tone), Roughness=gloss, Normal=bump(graph, height, 0.0012)
        ).outputs[0]

    return surface


def stone(light: Color, dark: Color, vein: Color | None = None, slab: float = 0.0, roughness: float = 0.22) -> Surface:
    """Layers like travertine, or with `vein` clouds and lines like marble. `slab` is the size of square slabs."""

    def surface(graph: Graph) -> Socket:
        if vein:
            warped = graph.noise(object_space(graph), 2.3, detail=8, roughness=0.58, distortion=1.4)
            line = graph.math("ABSOLUTE", graph.math("SUBTRACT", warped, 0.5))
            color = graph.mix(graph.map_range(line, 0.0, 0.016, 0.42, 0.0), graph.mix(warped, dark, light), vein)
            pits = graph.noise(object_space(graph), 40, detail=2)
        else:
            layers = graph.noise(object_space(graph, 2.0, 2.0, 26), 1.3, detail=8, roughness=0.62, distortion=0.3)
            color = graph.mix(graph.map_range(layers, 0.28, 0.74), dark, light)
            pits = graph.map_range(graph.noise(object_space(graph, 30, 30, 110), 1.0, detail=3), 0.26, 0.36)
            color = shaded(graph, color, graph.math("MULTIPLY_ADD", pits, 0.25, 0.75))
        height = pits
        if slab:
            inputs = {
                "Vector": object_space(graph),
                "Scale": 1.0,
                "Color1": (0.95,) * 3,
                "Color2": (1.03,) * 3,
                "Mortar": (0.6,) * 3,
                "Mortar Size": 0.0015,
                "Brick Width": slab,
                "Row Height": slab,
            }
            color = graph.mix(
                1.0, color, graph.add("ShaderNodeTexBrick", inputs, offset=0.0).outputs[0], blend="MULTIPLY"
            )
        return graph.principled(Base_Color=color, Roughness=roughness, Normal=bump(graph, height, 0.0005)).outputs[0]

    return surface


def woven(scale: float, depth: float, sheen: float = 0.25) -> Surface:
    """Cloth in the colour of the face, with slubs and `scale` threads per metre."""

    def surface(graph: Graph) -> Socket:
        weft = graph.noise(object_space(graph, scale * 0.08, scale, scale), 1.0, detail=2)
        warp = graph.noise(object_space(graph, scale, scale * 0.08, scale * 0.3), 1.0, detail=2)
        weave = graph.math("ADD", weft, warp)
        broad = graph.noise(object_space(graph), 3.0, detail=3)
        tone = graph.math("MULTIPLY_ADD", weave, 0.22, graph.math("MULTIPLY_ADD", broad, 0.14, 0.72))
        return graph.principled(
            Base_Color=shaded(graph, graph.face_color(), tone),
            Roughness=0.92,
            Sheen_Weight=sheen,
            Normal=bump(graph, weave, depth),
        ).outputs[0]

    return surface


def pile(scale: float, depth: float) -> Surface:
    """Wool in the colour of the face, with short loops or a cut pile."""

    def surface(graph: Graph) -> Socket:
        inputs = {"Vector": object_space(graph), "Scale": scale, "Randomness": 0.9}
        loops = graph.add("ShaderNodeTexVoronoi", inputs).outputs["Distance"]
        broad = graph.noise(object_space(graph), 2.2, detail=4)
        tone = graph.math("MULTIPLY_ADD", broad, 0.30, graph.math("MULTIPLY_ADD", loops, -0.25, 0.95))
        return graph.principled(
            Base_Color=shaded(graph, graph.face_color(), tone),
            Roughness=0.95,
            Sheen_Weight=0.4,
            Normal=bump(graph, graph.math("SUBTRACT", 1.0, loops), depth),
        ).outputs[0]

    return surface


def ribbed(pitch: float, depth: float) -> Surface:
    """Flat-woven wool in the colour of the face, with ribs across x."""

    def surface(graph: Graph) -> Socket:
        # The texture has 20 radians for each unit of its scale.
        inputs = {"Vector": object_space(graph), "Scale": pi / 10 / pitch, "Distortion": 0.5, "Detail": 2.0}
        ribs = graph.add("ShaderNodeTexWave", inputs, wave_type="BANDS", bands_direction="X").outputs[1]
        yarn = graph.noise(object_space(graph, 60, 240, 60), 1.0, detail=2)
        broad = graph.noise(object_space(graph), 1.6, detail=3)
        fleck = graph.math("MULTIPLY_ADD", yarn, 0.30, graph.math("MULTIPLY_ADD", broad, 0.16, 0.72))
        return graph.principled(
            Base_Color=shaded(graph, graph.face_color(), graph.math("MULTIPLY_ADD", ribs, 0.14, fleck)),
            Roughness=0.95,
            Sheen_Weight=0.3,
            Normal=bump(graph, graph.math("MULTIPLY_ADD", yarn, 0.5, ribs), depth),
        ).outputs[0]

    return surface


def sheer(graph: Graph) -> Socket:
    """A thin linen curtain that transmits half of the light."""
    threads = graph.noise(object_space(graph, 900, 900, 60), 1.0, detail=1)
    color = shaded(graph, (0.93, 0.91, 0.87), graph.math("MULTIPLY_ADD", threads, 0.2, 0.9))
    cloth = graph.mix_shader(
        0.55,
        graph.add("ShaderNodeBsdfDiffuse", {0: color}).outputs[0],
        graph.add("ShaderNodeBsdfTranslucent", {0: color}).outputs[0],
    )
    return graph.mix_shader(0.30, cloth, graph.add("ShaderNodeBsdfTransparent", {0: (1, 1, 1)}).outputs[0])


def lampshade(graph: Graph) -> Socket:
    """Cloth in front of a lamp. The colour of the face is the colour of the lamp."""
    cloth = graph.principled(
        Base_Color=(0.86, 0.80, 0.70), Roughness=0.9, Emission_Color=graph.face_color(), Emission_Strength=1.0
    )
    return cloth.outputs[0]


def canvas(graph: Graph) -> Socket:
    """A painting in the building's colours: a bend of the river in a few broad strokes. Its tint is its place there."""
    place = graph.vector(
        "ADD", object_space(graph, 1.0, 1.0, 1.35), graph.vector("MULTIPLY", graph.face_color(), (40, 40, 40))
    )
    bend = graph.noise(place, 1.15, detail=2, distortion=1.4)
    strokes = graph.noise(object_space(graph, 3, 3, 26), 1.6, detail=5)
    field = graph.math("MULTIPLY_ADD", strokes, 0.09, graph.math("SUBTRACT", bend, 0.045))
    stops = [
        (0.0, (0.055, 0.075, 0.060)),
        (0.40, (0.10, 0.13, 0.10)),
        (0.44, (0.62, 0.55, 0.44)),
        (0.54, (0.74, 0.69, 0.60)),
        (0.57, (0.36, 0.19, 0.09)),
        (0.66, (0.78, 0.74, 0.67)),
    ]
    return graph.principled(
        Base_Color=graph.ramp(field, stops, "LINEAR"), Roughness=0.75, Normal=bump(graph, strokes, 0.002)
    ).outputs[0]


def simple(roughness: float, metallic: float = 0.0, coat: float = 0.0) -> Surface:
    def surface(graph: Graph) -> Socket:
        return graph.principled(
            Base_Color=graph.face_color(), Roughness=roughness, Metallic=metallic, Coat_Weight=coat
        ).outputs[0]

    return surface


def pane(light: float) -> Surface:
    """Glass that transmits a part of the light to the camera. The light of the room does not pass through panes."""

    def surface(graph: Graph) -> Socket:
        facing = graph.add("ShaderNodeLayerWeight", {"Blend": 0.12}).outputs[0]
        amount = graph.math("MULTIPLY_ADD", facing, 0.6, 0.025, clamp=True)
        color = tuple(light * part for part in (0.98, 1.0, 0.995))
        clear = graph.add("ShaderNodeBsdfTransparent", {"Color": color}).outputs[0]
        return graph.mix_shader(amount, clear, graph.add("ShaderNodeBsdfGlossy", {"Roughness": 0.01}).outputs[0])

    return surface


OAK, OAK_DARK = (0.47, 0.33, 0.205), (0.34, 0.225, 0.13)
WALNUT, WALNUT_DARK = (0.20, 0.115, 0.065), (0.105, 0.058, 0.033)
TRAVERTINE, TRAVERTINE_DARK = (0.66, 0.58, 0.47), (0.50, 0.42, 0.32)

SURFACES: dict[str, Surface] = {
    "plaster": plaster((0.79, 0.755, 0.70)),
    "ceiling": plaster((0.86, 0.85, 0.82), 0.0002),
    "skirting": plaster((0.74, 0.705, 0.65), 0.0),
    "facade stone": plaster((0.66, 0.62, 0.56), 0.002),
    "balcony soffit": timber(OAK, OAK_DARK, "x", board=0.12),
    "oak floor": timber(OAK, OAK_DARK, "y", 0.36, board=0.19),
    "balcony deck": timber((0.36, 0.25, 0.165), (0.25, 0.165, 0.105), "x", 0.6, board=0.12),
    "oak veneer": timber((0.45, 0.31, 0.19), (0.32, 0.205, 0.12), "z"),
    "oak": timber((0.45, 0.31, 0.19), (0.32, 0.205, 0.12), "x"),
    "oak along": timber((0.45, 0.31, 0.19), (0.32, 0.205, 0.12), "y"),
    "walnut": timber(WALNUT, WALNUT_DARK, "x"),
    "walnut along": timber(WALNUT, WALNUT_DARK, "y"),
    "walnut veneer": timber(WALNUT, WALNUT_DARK, "z"),
    "travertine": stone(TRAVERTINE, TRAVERTINE_DARK, roughness=0.32),
    "travertine floor": stone(TRAVERTINE, TRAVERTINE_DARK, slab=0.9, roughness=0.20),
    "floor tile": stone((0.60, 0.56, 0.50), (0.52, 0.48, 0.42), slab=0.6, roughness=0.35),
    "marble": stone((0.80, 0.77, 0.73), (0.66, 0.62, 0.57), vein=(0.33, 0.27, 0.21), roughness=0.14),
    "linen": woven(900, 0.0004),
    "boucle": pile(260, 0.0028),
    "wool": woven(520, 0.0007, sheen=0.4),
    "rug": ribbed(0.028, 0.0022),
    "sheer": sheer,
    "lampshade": lampshade,
    "canvas": canvas,
    "lacquer": simple(0.45),
    "ceramic": simple(0.25, coat=0.4),
    "dark bronze": lambda graph: graph.principled(Base_Color=(0.10, 0.072, 0.05), Roughness=0.38, Metallic=0.9).outputs[
        0
    ],
    "brass": lambda graph: graph.principled(Base_Color=(0.55, 0.36, 0.17), Roughness=0.28, Metallic=1.0).outputs[0],
    "screen": lambda graph: graph.principled(Base_Color=(0.006, 0.006, 0.007), Roughness=0.12).outputs[0],
    # A photographer exposes the view separately, one stop darker than the room.
    "window pane": pane(0.5),
    "clear pane": pane(0.97),
}

FLOOR = tuple(0.93 * (light + dark) / 2 for light, dark in zip(OAK, OAK_DARK))
# The average colours of matt surfaces, or None for the colour of the face.
AVERAGES: dict[str, Color | None] = {
    "plaster": (0.79, 0.755, 0.70),
    "ceiling": (0.86, 0.85, 0.82),
    "skirting": (0.74, 0.705, 0.65),
    "facade stone": (0.66, 0.62, 0.56),
    "balcony soffit": FLOOR,
    "oak floor": FLOOR,
    "balcony deck": (0.26, 0.18, 0.12),
    "oak veneer": (0.385, 0.26, 0.155),
    "oak": (0.385, 0.26, 0.155),
    "walnut": (0.15, 0.087, 0.05),
    "walnut veneer": (0.15, 0.087, 0.05),
    "travertine": (0.56, 0.48, 0.38),
    "floor tile": (0.53, 0.49, 0.43),
    "marble": (0.71, 0.67, 0.63),
    "linen": None,
    "boucle": None,
    "wool": None,
    "rug": None,
}
