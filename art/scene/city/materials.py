"""Materials of the city: facades with rooms behind their windows, roofs, ground and streets under lamps."""

from collections.abc import Callable
from dataclasses import dataclass

from nodes import Color, Graph, Socket

# Colour of the light from streets on walls, ground and trees.
STREET_LIGHT: Color = (1.0, 0.52, 0.20)
LAMP_SPACING = 28.0


@dataclass(frozen=True)
class Facade:
    """A wall with windows in a grid of bays and storeys (metres).

    `window` is the left, right, bottom and top of the opening as shares of its cell. `room` is the number of bays in a
    room, `lit` the share of lit rooms, and `warm` the share of warm lamps among them. `mullions` divide a window.
    """

    bay: float
    storey: float
    window: tuple[float, float, float, float]
    room: float = 1.0
    lit: float = 0.4
    warm: float = 0.8
    brightness: float = 1.0
    mullions: int = 2
    glass: Color = (0.035, 0.05, 0.065)
    whole_floors: float = 0.0


FACADES = {
    "flats": Facade(3.3, 3.0, (0.16, 0.84, 0.30, 0.84), lit=0.40, warm=0.92),
    "flats wide": Facade(4.2, 3.1, (0.08, 0.92, 0.10, 0.86), lit=0.38, warm=0.93, mullions=3),
    "gallery": Facade(
        3.0, 2.9, (0.10, 0.90, 0.40, 0.92), lit=0.45, warm=0.88, brightness=0.6, mullions=2, glass=(0.08, 0.078, 0.072)
    ),
    "curtain": Facade(
        1.5, 3.9, (0.05, 0.95, 0.20, 0.97), room=5, lit=0.36, warm=0.62, brightness=0.8, mullions=1, whole_floors=0.35
    ),
    "ribbon": Facade(
        3.0, 3.7, (0.0, 1.0, 0.34, 0.88), room=3, lit=0.34, warm=0.66, brightness=0.8, mullions=2, whole_floors=0.3
    ),
    "ribs": Facade(
        2.4, 3.8, (0.24, 0.96, 0.12, 0.95), room=3, lit=0.36, warm=0.66, brightness=0.8, mullions=1, whole_floors=0.3
    ),
    "punched": Facade(2.7, 3.4, (0.24, 0.76, 0.28, 0.80), lit=0.40, warm=0.85),
    "shophouse": Facade(1.9, 3.5, (0.20, 0.80, 0.22, 0.82), room=3, lit=0.45, warm=0.95, mullions=2),
    "shopfront": Facade(3.0, 3.6, (0.06, 0.94, 0.02, 0.80), room=2, lit=0.85, warm=0.8, brightness=1.7, mullions=2),
}


def facade(graph: Graph, style: Facade) -> Socket:
    """Walls in the colour of the face, with small differences between buildings."""
    u, v, _ = graph.separate(graph.add("ShaderNodeUVMap").outputs[0])
    seed = graph.add("ShaderNodeObjectInfo").outputs["Random"]
    column, row = graph.math("DIVIDE", u, style.bay), graph.math("DIVIDE", v, style.storey)
    x, y = graph.math("FRACT", column), graph.math("FRACT", row)
    left, right, bottom, top = style.window

    def between(value: Socket, low: float, high: float) -> Socket:
        return graph.math("MULTIPLY", graph.math("GREATER_THAN", value, low), graph.math("LESS_THAN", value, high))

    # Random numbers for each cell, so windows differ.
    level = graph.math("FLOOR", row)
    room = graph.math("FLOOR", graph.math("DIVIDE", column, style.room))
    offset = graph.math("MULTIPLY", seed, 613.0)
    _, dice = graph.white_noise(graph.combine(room, level, offset))
    chance, tone, power = graph.separate(dice)
    _, pane_dice = graph.white_noise(graph.combine(graph.math("FLOOR", column), level, graph.math("ADD", offset, 71.3)))
    curtain, blind, tilt = graph.separate(pane_dice)
    floor_chance, _ = graph.white_noise(graph.combine(level, offset, 5.5))

    opening = between(y, bottom, top)
    if left > 0 or right < 1:
        opening = graph.math("MULTIPLY", opening, between(x, left, right))
    across = graph.math("DIVIDE", graph.math("SUBTRACT", x, left), (right - left) / style.mullions)
    frame_width = 0.06 / (style.bay * (right - left) / style.mullions)
    frame = between(graph.math("FRACT", graph.math("ADD", across, 0.5)), 0.5 - frame_width, 0.5 + frame_width)
    pane = graph.math("MULTIPLY", opening, graph.math("SUBTRACT", 1.0, frame))

    # Lamps hang from the ceiling, so rooms are brightest at the top of the window.
    up = graph.map_range(y, bottom, top, 0.45, 1.15)
    drawn = graph.math(
        "LESS_THAN",
        graph.math("DIVIDE", graph.math("SUBTRACT", x, left), right - left),
        graph.math("MULTIPLY_ADD", curtain, 1.5, -0.7),
    )
    lowered = graph.math("GREATER_THAN", y, graph.math("MULTIPLY_ADD", blind, 1.1, 0.35))
    cover = graph.math(
        "MULTIPLY", graph.math("MULTIPLY_ADD", drawn, -0.55, 1.0), graph.math("MULTIPLY_ADD", lowered, -0.4, 1.0)
    )
    threshold = graph.math("MULTIPLY_ADD", seed, 0.22, style.lit - 0.11)
    if style.whole_floors:
        busy = graph.math("GREATER_THAN", floor_chance, 1 - style.whole_floors)
        threshold = graph.math("MULTIPLY_ADD", busy, 0.42, graph.math("SUBTRACT", threshold, 0.14))
    lit = graph.math("LESS_THAN", chance, threshold)
    strength = graph.math("MULTIPLY_ADD", graph.math("MULTIPLY", power, power), 1.0, 0.14)
    # Light from other rooms of the flat reaches dark rooms.
    glow = graph.math(
        "MULTIPLY",
        graph.math("MULTIPLY_ADD", lit, strength, 0.012),
        graph.math("MULTIPLY", graph.math("MULTIPLY", up, cover), style.brightness),
    )
    lamp = graph.mix(
        graph.math("LESS_THAN", tone, style.warm),
        graph.ramp(
            tone,
            [(style.warm, (1.0, 0.86, 0.66)), (0.5 + style.warm / 2, (0.95, 0.92, 0.86)), (1.0, (0.80, 0.89, 1.0))],
        ),
        graph.ramp(
            tone, [(0.0, (1.0, 0.43, 0.13)), (style.warm * 0.5, (1.0, 0.56, 0.23)), (style.warm, (1.0, 0.70, 0.39))]
        ),
    )

    shade = graph.math("MULTIPLY_ADD", graph.white_noise(graph.combine(offset, 1.7, 9.1))[0], 0.30, 0.30)
    weather = graph.math(
        "MULTIPLY_ADD",
        graph.noise(graph.combine(graph.math("MULTIPLY", u, 0.35), graph.math("MULTIPLY", v, 0.05), offset), 1.0, 3.0),
        0.36,
        0.82,
    )
    joint = graph.math("MULTIPLY_ADD", graph.math("LESS_THAN", y, 0.05), -0.22, 1.0)
    tint = graph.math("MULTIPLY", graph.math("MULTIPLY", shade, weather), joint)
    wall = graph.vector("MULTIPLY", graph.face_color(), graph.combine(tint, tint, tint))
    base = graph.mix(pane, graph.mix(opening, wall, (0.10, 0.10, 0.10)), style.glass)

    near_street = graph.math("MULTIPLY", graph.math("EXPONENT", graph.math("DIVIDE", v, -9.0)), 0.34)
    reflected = graph.vector(
        "MULTIPLY", wall, graph.combine(*(graph.math("MULTIPLY", near_street, part) for part in STREET_LIGHT))
    )
    through = graph.vector("MULTIPLY", lamp, graph.combine(glow, glow, glow))
    emission = graph.mix(pane, reflected, through)

    # Real panes are slightly tilted, which breaks up the reflected sky.
    normal = graph.add("ShaderNodeNewGeometry").outputs["Normal"]
    swing = graph.math("MULTIPLY", graph.math("SUBTRACT", tilt, 0.5), graph.math("MULTIPLY", pane, 0.035))
    normal = graph.vector(
        "NORMALIZE", graph.vector("ADD", normal, graph.combine(swing, graph.math("MULTIPLY", swing, 0.7), swing))
    )
    roughness = graph.math("MULTIPLY_ADD", pane, -0.68, 0.78)
    shader = graph.principled(
        Base_Color=base, Roughness=roughness, Normal=normal, Emission_Color=emission, Emission_Strength=1.0
    )
    return shader.outputs[0]


def matte(
    graph: Graph,
    spot: float,
    contrast: float = 0.3,
    street_light: float = 0.05,
    lamp: Color = STREET_LIGHT,
    brightness: float = 1.0,
) -> Socket:
    """A plain surface in the colour of the face, with stains `spot` metres wide, lit by `street_light` times `lamp`."""
    stain = graph.math(
        "MULTIPLY_ADD",
        graph.noise(graph.position(), 1 / spot, 4.0),
        2 * contrast * brightness,
        (1 - contrast) * brightness,
    )
    color = graph.vector("MULTIPLY", graph.face_color(), graph.combine(stain, stain, stain))
    light = graph.vector("MULTIPLY", color, tuple(part * street_light for part in lamp))
    return graph.principled(Base_Color=color, Roughness=0.85, Emission_Color=light, Emission_Strength=1.0).outputs[0]


def tiles(graph: Graph) -> Socket:
    """Roof tiles in courses across the slope (v). Each roof has a slightly different colour."""
    u, v, _ = graph.separate(graph.add("ShaderNodeUVMap").outputs[0])
    seed = graph.add("ShaderNodeObjectInfo").outputs["Random"]
    course = graph.math("MULTIPLY_ADD", graph.math("SINE", graph.math("MULTIPLY", u, 10.0)), 0.10, 0.95)
    patch = graph.math(
        "MULTIPLY_ADD", graph.noise(graph.combine(u, v, graph.math("MULTIPLY", seed, 90.0)), 0.8, 4.0), 0.7, 0.65
    )
    tint = graph.math("MULTIPLY", graph.math("MULTIPLY", course, patch), 0.62)
    color = graph.vector("MULTIPLY", graph.face_color(), graph.combine(tint, tint, tint))
    light = graph.vector("MULTIPLY", color, tuple(part * 0.05 for part in STREET_LIGHT))
    return graph.principled(Base_Color=color, Roughness=0.8, Emission_Color=light, Emission_Strength=1.0).outputs[0]


def street(graph: Graph) -> Socket:
    """Asphalt under lamps. u is along the street, v is across from its middle, both in metres.

    The colour of the face encodes the half width of the carriageway, the brightness of the lamps, and whether lanes are
    marked.
    """
    u, v, _ = graph.separate(graph.add("ShaderNodeUVMap").outputs[0])
    half, power, marked = graph.separate(graph.face_color())
    away = graph.math("ABSOLUTE", v)
    along = graph.math("PINGPONG", u, LAMP_SPACING / 2)
    across = graph.math("SUBTRACT", away, half)
    distance = graph.math("ADD", graph.math("MULTIPLY", along, along), graph.math("MULTIPLY", across, across))
    pool = graph.math("DIVIDE", 55.0, graph.math("ADD", distance, 55.0))
    sidewalk = graph.math("GREATER_THAN", away, half)
    patch = graph.math("MULTIPLY_ADD", graph.noise(graph.position(), 0.15, 4.0), 0.5, 0.75)
    dash = graph.math("LESS_THAN", graph.math("FRACT", graph.math("DIVIDE", u, 9.0)), 0.4)
    lane = graph.math("LESS_THAN", graph.math("PINGPONG", away, 1.75), 0.09)
    line = graph.math(
        "MULTIPLY",
        graph.math("MULTIPLY", dash, lane),
        graph.math("MULTIPLY", marked, graph.math("SUBTRACT", 1.0, sidewalk)),
    )
    color = graph.mix(sidewalk, (0.055, 0.055, 0.058), (0.20, 0.185, 0.165))
    color = graph.mix(line, color, (0.5, 0.5, 0.48))
    color = graph.vector("MULTIPLY", color, graph.combine(patch, patch, patch))
    strength = graph.math("MULTIPLY", power, graph.math("MULTIPLY_ADD", pool, 3.8, 0.4))
    light = graph.vector(
        "MULTIPLY", color, graph.combine(*(graph.math("MULTIPLY", strength, part) for part in STREET_LIGHT))
    )
    return graph.principled(Base_Color=color, Roughness=0.75, Emission_Color=light, Emission_Strength=1.0).outputs[0]


def foliage(graph: Graph) -> Socket:
    """Tree crowns, lit by lamps from below. Each tree has a different green."""
    seed = graph.add("ShaderNodeObjectInfo").outputs["Random"]
    green = graph.ramp(
        seed,
        [
            (0.0, (0.050, 0.085, 0.026)),
            (0.45, (0.075, 0.115, 0.034)),
            (0.8, (0.105, 0.135, 0.045)),
            (1.0, (0.125, 0.120, 0.045)),
        ],
    )
    spots = graph.math("MULTIPLY_ADD", graph.noise(graph.position(), 0.9, 5.0, 0.65), 1.5, 0.25)
    color = graph.vector("MULTIPLY", green, graph.combine(spots, spots, spots))
    height = graph.separate(graph.position())[2]
    low = graph.math("MULTIPLY", graph.math("EXPONENT", graph.math("DIVIDE", height, -5.0)), 0.55)
    light = graph.vector(
        "MULTIPLY", color, graph.combine(*(graph.math("MULTIPLY", low, part) for part in STREET_LIGHT))
    )
    bump = graph.add(
        "ShaderNodeBump", {"Height": graph.noise(graph.position(), 1.4, 3.0), "Strength": 0.8, "Distance": 0.8}
    ).outputs[0]
    return graph.principled(
        Base_Color=color, Roughness=0.9, Normal=bump, Emission_Color=light, Emission_Strength=1.0
    ).outputs[0]


def balcony_glass(graph: Graph) -> Socket:
    """Half-transparent glass, for distant balconies."""
    clear = graph.add("ShaderNodeBsdfTransparent").outputs[0]
    pane = graph.principled(Base_Color=(0.16, 0.18, 0.19), Roughness=0.1).outputs[0]
    return graph.mix_shader(0.45, clear, pane)


def terrace_glass(graph: Graph) -> Socket:
    """Low-iron glass that reflects some of the sky at grazing angles."""
    facing = graph.add("ShaderNodeLayerWeight", {"Blend": 0.12}).outputs[0]
    clear = graph.add("ShaderNodeBsdfTransparent", {"Color": (0.965, 0.985, 0.98)}).outputs[0]
    mirror = graph.add("ShaderNodeBsdfGlossy", {"Roughness": 0.0, "Color": (0.9, 0.95, 1.0)}).outputs[0]
    return graph.mix_shader(graph.math("MULTIPLY_ADD", facing, 0.30, 0.012, clamp=True), clear, mirror)


def terrace_board(graph: Graph) -> Socket:
    """Oiled boards with grain along the board. Each board has a different shade."""
    stretched = graph.add(
        "ShaderNodeMapping", {0: graph.add("ShaderNodeTexCoord").outputs["Object"], "Scale": (26.0, 0.9, 1.0)}
    ).outputs[0]
    grain = graph.math("MULTIPLY_ADD", graph.noise(stretched, 2.0, 6.0, 0.6, 0.4), 0.55, 0.72)
    color = graph.vector("MULTIPLY", graph.face_color(), graph.combine(grain, grain, grain))
    return graph.principled(Base_Color=color, Roughness=0.5).outputs[0]


def plain(color: Color, roughness: float, metallic: float = 0.0) -> Callable[[Graph], Socket]:
    return lambda graph: graph.principled(Base_Color=color, Roughness=roughness, Metallic=metallic).outputs[0]


def solar_panel(graph: Graph) -> Socket:
    return graph.principled(Base_Color=(0.02, 0.03, 0.06), Roughness=0.2).outputs[0]


def still_water(graph: Graph) -> Socket:
    return graph.principled(Base_Color=(0.05, 0.07, 0.065), Roughness=0.16).outputs[0]


SURFACES: dict[str, Callable[[Graph], Socket]] = {
    **{name: lambda graph, style=style: facade(graph, style) for name, style in FACADES.items()},
    "render": lambda graph: matte(graph, 9.0, 0.18, street_light=0.03, brightness=0.45),
    "flat roof": lambda graph: matte(graph, 7.0, 0.35, street_light=0.04, brightness=0.6),
    "plot": lambda graph: matte(graph, 18.0, 0.45, street_light=0.55),
    "grass": lambda graph: matte(graph, 12.0, 0.40, street_light=0.30),
    "floodlit": lambda graph: matte(graph, 14.0, 0.12, street_light=0.5, lamp=(1.0, 0.9, 0.72)),
    "hill": lambda graph: matte(graph, 160.0, 0.45, street_light=0.0),
    "tiles": tiles,
    "balcony glass": balcony_glass,
    "city street": street,
    "tree crown": foliage,
    "solar panel": solar_panel,
    "still water": still_water,
    "terrace glass": terrace_glass,
    "terrace glass edge": plain((0.30, 0.46, 0.42), 0.1),
    "terrace board": terrace_board,
    "terrace stone": plain((0.19, 0.165, 0.14), 0.65),
    "terrace metal": plain((0.20, 0.145, 0.10), 0.38, 0.8),
    "terrace steel": plain((0.42, 0.41, 0.40), 0.35, 0.9),
    "terrace soffit": plain((0.66, 0.60, 0.52), 0.7),
    "fabric": plain((0.34, 0.305, 0.26), 0.95),
    "glazed pot": plain((0.115, 0.10, 0.085), 0.5),
}
