"""Materials for close views: paving and decks with joints, pool water and tiles, shop interiors, soffits, furniture.

Interiors use `u, v` of the mesh in metres, with v down from the ceiling. The colour of the face is that of the light.
"""

from collections.abc import Callable

from nodes import Color, Graph, Socket

Surface = Callable[[Graph], Socket]


def _uv(graph: Graph) -> tuple[Socket, Socket]:
    u, v, _ = graph.separate(graph.add("ShaderNodeUVMap").outputs[0])
    return u, v


def _scaled_color(graph: Graph, color, factor: Socket) -> Socket:
    return graph.mix(1.0, color, graph.combine(factor, factor, factor), blend="MULTIPLY")


def _emit(graph: Graph, color: Socket, strength=1.0) -> Socket:
    return graph.add("ShaderNodeEmission", {0: color, 1: strength}).outputs[0]


def _bump(graph: Graph, height: Socket, distance: float, strength: float = 1.0) -> Socket:
    return graph.add("ShaderNodeBump", {"Strength": strength, "Distance": distance, "Height": height}).outputs[0]


def _bricks(
    graph: Graph,
    vector: Socket,
    width: float,
    height: float,
    joint: float,
    colors: tuple[Color, Color, Color],
    stagger: float = 0.5,
):
    """Courses of `width` by `height` metres. Returns the colour and a mask that is 1 in the joints."""
    inputs = {
        "Vector": vector,
        "Scale": 1.0,
        "Color1": colors[0],
        "Color2": colors[1],
        "Mortar": colors[2],
        "Mortar Size": joint,
        "Mortar Smooth": 0.2,
        "Bias": 0.0,
        "Brick Width": width,
        "Row Height": height,
    }
    node = graph.add("ShaderNodeTexBrick", inputs, offset=stagger)
    return node.outputs[0], node.outputs[1]


def _turned(graph: Graph, degrees: float) -> Socket:
    turn = (0.0, 0.0, degrees * 0.0174533)
    return graph.add("ShaderNodeMapping", {0: graph.position(), "Rotation": turn}).outputs[0]


def paved(
    width: float,
    height: float,
    joint: float,
    colors: tuple[Color, Color, Color],
    roughness: float,
    degrees: float = 0.0,
    stagger: float = 0.5,
) -> Surface:
    """Stone slabs with joints. Shade and polish differ between slabs."""

    def surface(graph: Graph) -> Socket:
        vector = _turned(graph, degrees)
        color, joints = _bricks(graph, vector, width, height, joint, colors, stagger)
        veins = graph.noise(
            graph.add("ShaderNodeMapping", {0: vector, "Scale": (0.8, 5.0, 1)}).outputs[0], 1.3, detail=6, roughness=0.6
        )
        patches = graph.noise(vector, 0.35, detail=3)
        shade = graph.math("MULTIPLY_ADD", veins, 0.45, graph.math("MULTIPLY_ADD", patches, 0.35, 0.60))
        gloss = graph.math("MULTIPLY_ADD", patches, 0.30, roughness - 0.15, clamp=True)
        recess = graph.math("SUBTRACT", graph.math("MULTIPLY", veins, 0.08), joints)
        return graph.principled(
            Base_Color=_scaled_color(graph, color, shade), Roughness=gloss, Normal=_bump(graph, recess, 0.004)
        ).outputs[0]

    return surface


def boards(degrees: float, width: float = 0.14, roughness: float = 0.5) -> Surface:
    """Decking: long boards with open joints and grain along them."""

    def surface(graph: Graph) -> Socket:
        vector = _turned(graph, degrees)
        warm = ((0.30, 0.165, 0.085), (0.20, 0.108, 0.055), (0.012, 0.008, 0.006))
        color, joints = _bricks(graph, vector, 2.9, width, 0.006, warm, 0.37)
        grain = graph.noise(
            graph.add("ShaderNodeMapping", {0: vector, "Scale": (1.2, 38.0, 1)}).outputs[0],
            1.0,
            detail=5,
            roughness=0.65,
        )
        wear = graph.noise(vector, 0.5, detail=3)
        shade = graph.math("MULTIPLY_ADD", grain, 0.6, graph.math("MULTIPLY_ADD", wear, 0.4, 0.5))
        recess = graph.math("SUBTRACT", graph.math("MULTIPLY", grain, 0.15), joints)
        return graph.principled(
            Base_Color=_scaled_color(graph, color, shade), Roughness=roughness, Normal=_bump(graph, recess, 0.004)
        ).outputs[0]

    return surface


def lit_slats(graph: Graph) -> Socket:
    """The timber soffit of a canopy: slats lit by hidden lamps. The colour of the face is that of the light."""
    vector = graph.position()
    x, y, _ = graph.separate(vector)
    across = graph.math("FRACT", graph.math("DIVIDE", x, 0.16))
    gap = graph.map_range(graph.math("ABSOLUTE", graph.math("SUBTRACT", across, 0.5)), 0.34, 0.42, 1.0, 0.12)
    slat = graph.combine(
        graph.math("FLOOR", graph.math("DIVIDE", x, 0.16)), graph.math("FLOOR", graph.math("DIVIDE", y, 3.0))
    )
    tone = graph.math("MULTIPLY_ADD", graph.white_noise(slat)[0], 0.35, 0.75)
    shade = graph.math("MULTIPLY", gap, tone)
    base = _scaled_color(graph, (0.42, 0.24, 0.12), shade)
    light = graph.mix(1.0, base, graph.face_color(), blend="MULTIPLY")
    return graph.principled(Base_Color=base, Roughness=0.45, Emission_Color=light, Emission_Strength=1.0).outputs[0]


def shop_wall(graph: Graph) -> Socket:
    """A wall lit by downlights, with scallops of light that fade towards the floor."""
    u, v = _uv(graph)
    across = graph.math("ABSOLUTE", graph.math("SUBTRACT", graph.math("FRACT", graph.math("DIVIDE", u, 1.2)), 0.5))
    spread = graph.math("MULTIPLY_ADD", graph.math("SQRT", graph.math("MAXIMUM", v, 0.0)), 0.32, 0.05)
    beam = graph.math(
        "POWER", 2.718, graph.math("MULTIPLY", graph.math("POWER", graph.math("DIVIDE", across, spread), 2.0), -1.0)
    )
    fade = graph.math("POWER", 2.718, graph.math("DIVIDE", v, -1.9))
    strength = graph.math(
        "MULTIPLY_ADD", graph.math("MULTIPLY", beam, fade), 0.55, graph.math("MULTIPLY_ADD", fade, 0.40, 0.16)
    )
    texture = graph.math(
        "MULTIPLY_ADD", graph.noise(graph.combine(u, graph.math("MULTIPLY", v, 0.3)), 2.5, detail=4), 0.3, 0.85
    )
    return _emit(graph, _scaled_color(graph, graph.face_color(), graph.math("MULTIPLY", strength, texture)))


def lobby_stone(graph: Graph) -> Socket:
    """Backlit onyx in large book-matched panels."""
    u, v = _uv(graph)
    panel = graph.math("DIVIDE", u, 1.5)
    mirrored = graph.math("PINGPONG", u, 1.5)
    vector = graph.combine(mirrored, graph.math("MULTIPLY", v, 0.55), graph.math("FLOOR", graph.math("DIVIDE", u, 3.0)))
    veins = graph.noise(vector, 0.8, detail=7, roughness=0.55, distortion=0.9)
    color = graph.ramp(
        veins,
        [
            (0.25, (0.34, 0.20, 0.10)),
            (0.46, (0.66, 0.46, 0.28)),
            (0.58, (0.92, 0.72, 0.50)),
            (0.80, (0.76, 0.56, 0.36)),
        ],
        "LINEAR",
    )
    joint = graph.map_range(
        graph.math("ABSOLUTE", graph.math("SUBTRACT", graph.math("FRACT", panel), 0.5)), 0.488, 0.494, 1.0, 0.25
    )
    fade = graph.map_range(v, 0.0, 5.0, 1.0, 0.6)
    lit = graph.mix(1.0, color, graph.face_color(), blend="MULTIPLY")
    return _emit(graph, _scaled_color(graph, lit, graph.math("MULTIPLY", joint, fade)))


def shop_shelves(graph: Graph) -> Socket:
    """A wall of shelves with goods on them, each shelf lit from its front edge."""
    u, v = _uv(graph)
    row_height, slot, bay = 0.46, 0.19, 1.15
    row, up = (
        graph.math("FLOOR", graph.math("DIVIDE", v, row_height)),
        graph.math("SUBTRACT", 1.0, graph.math("FRACT", graph.math("DIVIDE", v, row_height))),
    )
    shifted = graph.math("MULTIPLY_ADD", graph.white_noise(graph.combine(row, 3.0))[0], slot, u)
    column = graph.math("FLOOR", graph.math("DIVIDE", shifted, slot))
    along = graph.math("FRACT", graph.math("DIVIDE", shifted, slot))
    chance, tint = graph.white_noise(graph.combine(column, row, 1.0))
    height = graph.math("MULTIPLY_ADD", chance, 0.55, 0.18)
    inside = graph.math(
        "MULTIPLY",
        graph.math("LESS_THAN", up, height),
        graph.math("LESS_THAN", graph.math("ABSOLUTE", graph.math("SUBTRACT", along, 0.5)), 0.42),
    )
    present = graph.math("GREATER_THAN", graph.white_noise(graph.combine(column, row, 7.0))[0], 0.22)
    goods = graph.mix(0.55, tint, (0.50, 0.38, 0.26))
    goods = _scaled_color(graph, goods, graph.math("MULTIPLY_ADD", up, 0.5, 0.45))
    niche = graph.ramp(up, [(0.0, (0.30, 0.24, 0.18)), (0.6, (0.55, 0.46, 0.36)), (1.0, (1.15, 1.0, 0.8))])
    color = graph.mix(graph.math("MULTIPLY", inside, present), niche, goods)
    board = graph.math("GREATER_THAN", up, 0.93)
    post = graph.math("LESS_THAN", graph.math("FRACT", graph.math("DIVIDE", u, bay)), 0.05)
    color = graph.mix(graph.math("MAXIMUM", board, post), color, (0.16, 0.10, 0.06))
    lit = graph.mix(1.0, color, graph.face_color(), blend="MULTIPLY")
    return _emit(graph, lit, 0.85)


def shop_ceiling(graph: Graph) -> Socket:
    """A ceiling with rows of downlights."""
    u, v = _uv(graph)
    du = graph.math("SUBTRACT", graph.math("FRACT", graph.math("DIVIDE", u, 1.2)), 0.5)
    dv = graph.math("SUBTRACT", graph.math("FRACT", graph.math("DIVIDE", v, 1.5)), 0.5)
    radius = graph.vector("LENGTH", graph.combine(graph.math("MULTIPLY", du, 1.2), graph.math("MULTIPLY", dv, 1.5)))
    lamp = graph.map_range(radius, 0.06, 0.10, 1.0, 0.0)
    glow = graph.math("POWER", 2.718, graph.math("MULTIPLY", radius, -4.0))
    strength = graph.math("MULTIPLY_ADD", lamp, 3.2, graph.math("MULTIPLY_ADD", glow, 0.22, 0.30))
    return _emit(graph, _scaled_color(graph, graph.face_color(), strength))


def shop_floor(graph: Graph) -> Socket:
    """A polished floor that reflects the room."""
    u, v = _uv(graph)
    color, _ = _bricks(
        graph, graph.combine(u, v), 1.2, 0.6, 0.008, ((1.0, 0.95, 0.9), (0.8, 0.75, 0.7), (0.5, 0.45, 0.4))
    )
    lit = _emit(graph, graph.mix(1.0, color, graph.face_color(), blend="MULTIPLY"))
    mirror = graph.add("ShaderNodeBsdfGlossy", {"Roughness": 0.12, "Color": (0.8, 0.78, 0.75)}).outputs[0]
    return graph.mix_shader(0.16, lit, mirror)


def pool_tiles(graph: Graph) -> Socket:
    """Mosaic under lit water: caustics on small tiles. It emits light, so no lamp is traced through the water."""
    position = graph.position()
    swirl = graph.add("ShaderNodeTexNoise", {"Vector": position, "Scale": 0.9, "Detail": 2.0}).outputs[1]
    warped = graph.vector("ADD", position, graph.vector("MULTIPLY", swirl, (0.8, 0.8, 0.8)))
    net = []
    for scale, offset in ((1.25, 0.0), (2.1, 7.3)):
        shifted = graph.vector("ADD", warped, (offset, offset, 0.0))
        cells = graph.add(
            "ShaderNodeTexVoronoi", {"Vector": shifted, "Scale": scale}, feature="DISTANCE_TO_EDGE"
        ).outputs["Distance"]
        net.append(graph.math("POWER", 2.718, graph.math("MULTIPLY", cells, -13.0)))
    light = graph.math("MULTIPLY_ADD", net[0], 0.55, graph.math("MULTIPLY", net[1], 0.35))
    tiles, _ = _bricks(
        graph, position, 0.1, 0.1, 0.004, ((0.030, 0.36, 0.42), (0.018, 0.26, 0.34), (0.06, 0.40, 0.44)), 0.0
    )
    tone = graph.math("MULTIPLY_ADD", light, 1.25, 0.42)
    return _emit(graph, graph.mix(0.22, _scaled_color(graph, tiles, tone), graph.face_color()), 1.0)


def rippled(graph: Graph, scale: float, distance: float) -> Socket:
    fine = graph.noise(graph.position(), scale, detail=2, roughness=0.45)
    broad = graph.noise(graph.position(), scale * 0.28, detail=2)
    return _bump(graph, graph.math("MULTIPLY_ADD", broad, 2.2, fine), distance)


def clear_water(graph: Graph) -> Socket:
    """The surface of the pool, with small ripples. It refracts the tiles and reflects the sky."""
    normal = rippled(graph, 1.7, 0.022)
    mirror = graph.add("ShaderNodeBsdfGlossy", {"Roughness": 0.0, "Normal": normal}).outputs[0]
    below = graph.add(
        "ShaderNodeBsdfRefraction", {"Roughness": 0.0, "IOR": 1.33, "Normal": normal, "Color": (0.80, 0.97, 1.0)}
    ).outputs[0]
    return graph.mix_shader(graph.add("ShaderNodeFresnel", {"IOR": 1.33, "Normal": normal}).outputs[0], below, mirror)


def mirror_water(graph: Graph) -> Socket:
    """A shallow basin over dark stone, nearly still."""
    normal = rippled(graph, 0.8, 0.006)
    node = graph.principled(
        Base_Color=(0.012, 0.018, 0.020), Roughness=0.02, IOR=1.33, Specular_IOR_Level=1.0, Normal=normal
    )
    return node.outputs[0]


def weave(graph: Graph) -> Socket:
    """Translucent woven cloth in the colour of the face, for cushions, parasols and curtains."""
    color = graph.face_color()
    front = graph.add("ShaderNodeBsdfDiffuse", {0: color}).outputs[0]
    back = graph.add("ShaderNodeBsdfTranslucent", {0: color}).outputs[0]
    return graph.mix_shader(0.3, front, back)


def car_paint(graph: Graph) -> Socket:
    return graph.principled(
        Base_Color=graph.face_color(), Roughness=0.28, Metallic=0.35, Coat_Weight=1.0, Coat_Roughness=0.03
    ).outputs[0]


def car_glass(graph: Graph) -> Socket:
    return graph.principled(
        Base_Color=(0.008, 0.010, 0.012), Roughness=0.04, Coat_Weight=1.0, Coat_Roughness=0.02
    ).outputs[0]


def teak(graph: Graph) -> Socket:
    grain = graph.noise(
        graph.add("ShaderNodeMapping", {0: graph.position(), "Scale": (3.0, 3.0, 14.0)}).outputs[0], 2.0, detail=4
    )
    return graph.principled(
        Base_Color=graph.mix(grain, (0.20, 0.10, 0.045), (0.40, 0.23, 0.115)), Roughness=0.5
    ).outputs[0]


TRAVERTINE = ((0.52, 0.445, 0.355), (0.44, 0.37, 0.29), (0.16, 0.13, 0.10))
GRANITE = ((0.195, 0.186, 0.177), (0.168, 0.161, 0.154), (0.08, 0.076, 0.072))

FINISHES: dict[str, Surface] = {
    "travertine": paved(1.2, 0.6, 0.012, TRAVERTINE, 0.42),
    "court paving": paved(
        1.5, 0.75, 0.018, ((0.40, 0.35, 0.29), (0.33, 0.285, 0.235), (0.11, 0.09, 0.075)), 0.40, degrees=20
    ),
    "setts": paved(0.30, 0.20, 0.016, ((0.21, 0.19, 0.17), (0.13, 0.12, 0.112), (0.045, 0.04, 0.036)), 0.5, degrees=45),
    "granite": paved(2.0, 0.45, 0.01, GRANITE, 0.35),
    "deck": boards(0),
    "deck across": boards(90),
    "teak": teak,
    "lit slats": lit_slats,
    "shop wall": shop_wall,
    "shop shelves": shop_shelves,
    "shop ceiling": shop_ceiling,
    "shop floor": shop_floor,
    "lobby stone": lobby_stone,
    "pool tiles": pool_tiles,
    "clear water": clear_water,
    "mirror water": mirror_water,
    "weave": weave,
    "car paint": car_paint,
    "car glass": car_glass,
}
