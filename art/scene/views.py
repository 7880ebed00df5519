"""The view of each picture: camera position, lens and light."""

from dataclasses import dataclass

from interior.unit import Flat, load_rooms
from layout import EAST_TOWER, WEST_TOWER

SURROUNDINGS = (
    "river.river",
    "podium.podium",
    "podium.arrival_court",
    "podium.station",
    "podium.pool_deck",
    "towers.towers",
    "city.city",
)


@dataclass(frozen=True)
class View:
    """The camera and light of one picture.

    Angles are degrees; `azimuth` and `glow_azimuth` (of the afterglow) run clockwise from north. `lens` is the focal
    length in millimetres on a 36 mm wide sensor, `shift` moves the frame in parts of its longer side, `aspect` is width
    by height. Haze starts `haze_start` metres away and grows by the factor e in `haze_length` metres.
    With `over_water` the camera is above the river, and the scene omits the bank below it.
    """

    name: str
    location: tuple[float, float, float]
    azimuth: float
    lens: float
    aspect: float
    shift: tuple[float, float] = (0.0, 0.0)
    exposure: float = 0.8
    glow_azimuth: float = -46.0
    haze_start: float = 120.0
    haze_length: float = 2400.0
    parts: tuple[str, ...] = SURROUNDINGS
    over_water: bool = False
    # Azimuth and elevation of the sun, for views by day.
    sun: tuple[float, float] | None = None


TERRACE_LEVELS = (10, 20, 40, 60)


def eye_height(level: int) -> float:
    """The height of a standing person's eyes on the terrace of a level, in metres."""
    return 139.7 + (level - 40) * EAST_TOWER.floor_height


def extra_item(symbol: str, x: float, y: float, turn: float = 0, **properties) -> dict:
    """An item that the plan does not show, in the format of its furniture."""
    return {"symbol": symbol, "at": (x, y), "turn": turn, **properties}


INSIDE = ("river.river", "river.bridges", "city.city", "towers.towers", "interior.flat")
TOWERS = {"east": EAST_TOWER, "west": WEST_TOWER}
# Small things that residents left, which the plans do not show.
EXTRA_ITEMS: dict[str, list[dict]] = {
    "a1-living": [
        extra_item("reading", 5.08, 4.2, 250, width=0.34),
        extra_item("picture", 7.0, 3.95, 90, width=1.2, height=0.85),
    ],
    "a2-living": [
        extra_item("flowers", 1.72, 5.45, 20, width=0.34),
        extra_item("picture", 0.1, 5.65, 270, width=1.25, height=0.85),
    ],
    "a3-living": [
        extra_item("reading", 1.82, 4.62, 80, width=0.34),
        extra_item("picture", 0.1, 4.4, 270, width=1.1, height=0.8),
    ],
    "b1-living": [
        extra_item("flowers", 4.48, 5.1, 70, width=0.34),
        extra_item("picture", 6.25, 5.08, 90, width=1.1, height=0.8),
    ],
    "b2-living": [
        extra_item("reading", 4.68, 5.5, 250, width=0.34),
        extra_item("picture", 6.65, 5.45, 90, width=1.2, height=0.85),
    ],
    "c1-living": [extra_item("reading", 2.0, 6.2, 250, width=0.34)],
    "c2n-living": [
        extra_item("reading", 8.78, 6.4, 250, width=0.34),
        extra_item("picture", 10.85, 6.35, 90, width=1.3, height=0.9),
    ],
    "d1-living": [
        extra_item("flowers", 7.2, 7.3, 30, width=0.34),
        extra_item("picture", 9.15, 7.2, 90, width=1.3, height=0.9),
    ],
    "d2-living": [extra_item("reading", 1.75, 6.45, 170, width=0.34)],
    "ph3-living": [
        extra_item("ring", 12, 10.4, width=1.5, height=2.2),
        extra_item("ring", 12, 10.7, width=0.9, height=2.4),
        extra_item("floor-lamp", 10.0, 12.4),
        extra_item("reading", 12.05, 10.9, 80, width=0.34),
    ],
}


def home_flat(room: dict) -> Flat:
    """The flat of a room of `art/rooms` at its home in a tower."""
    home = room["home"]
    return Flat.in_tower(
        room["plan"], TOWERS[home["tower"]], home["side"], home["along"], eye_height(home["level"]) - 1.62
    )


def room_view(name: str, flat: Flat, at: tuple[float, float], towards: float, eye: float, **settings) -> View:
    """A view inside a flat, from a point of the page in a direction on the page."""
    return View(name, location=flat.camera(*at, eye), azimuth=flat.azimuth(towards), aspect=1.6, **settings)


def rooms() -> list[View]:
    return [
        room_view(
            name,
            FLATS[name],
            tuple(room["at"]),
            room["towards"],
            room["eye"],
            lens=room["lens"],
            sun=tuple(room["sun"]),
            exposure=room["exposure"],
            shift=(0, -0.02),
            haze_length=4200,
            parts=INSIDE,
        )
        for name, room in load_rooms().items()
    ]


# The flats of the views inside.
FLATS: dict[str, Flat] = {
    "lobby": Flat("lobby", 600, -900, 5.0, ceiling=5.4),
    **{name: home_flat(room) for name, room in load_rooms().items()},
}

VIEWS = {
    view.name: view
    for view in (
        View(
            "hero",
            location=(-30, -470, 34),
            azimuth=0,
            lens=22.8,
            aspect=2.4,
            shift=(-0.05, 0.084),
            exposure=1.0,
            haze_start=470,
            haze_length=900,
            over_water=True,
        ),
        View(
            "arrival",
            location=(-99.5, -37.5, 1.9),
            azimuth=41,
            lens=33,
            aspect=0.652,
            shift=(0, 0.41),
            exposure=0.95,
            glow_azimuth=-30,
        ),
        View("pool", location=(14, -24.6, 22.2), azimuth=-69, lens=20, aspect=1.6, shift=(0, 0.10), exposure=1.0),
        *(
            View(
                f"south{level}",
                location=(33, -22, eye_height(level)),
                azimuth=220,
                lens=17,
                aspect=5 / 3,
                shift=(0, 0.042),
                exposure=1.5,
                haze_start=250,
                haze_length=3000,
                parts=("river.river", "river.bridges", "city.city", "terrace.terrace"),
            )
            for level in TERRACE_LEVELS
        ),
        *(
            View(
                f"north{level}",
                location=(47, 21.5, eye_height(level)),
                azimuth=-16,
                lens=17,
                aspect=5 / 3,
                shift=(0, 0.042),
                exposure=-2.75,
                haze_length=4200,
                sun=(246, 38),
                parts=("city.city", "terrace.terrace"),
            )
            for level in TERRACE_LEVELS
        ),
        *rooms(),
        room_view(
            "lobby",
            FLATS["lobby"],
            (0.5, 6.9),
            80,
            1.45,
            lens=18,
            shift=(0, 0.07),
            exposure=1.1,
            parts=("interior.garden", "interior.flat"),
        ),
    )
}
