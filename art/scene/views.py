"""The pictures: where the camera stands and how it sees."""

from dataclasses import dataclass

from layout import EAST_TOWER

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
    """One picture.

    Angles are degrees; `azimuth` and `glow_azimuth` (of the afterglow) run clockwise from north. `lens` is the focal
    length in millimetres on a 36 mm wide sensor, `shift` moves the frame in parts of its longer side, `aspect` is width
    by height. Haze starts `haze_start` metres away and grows by the factor e in `haze_length` metres.
    With `over_water` the camera floats on the river: the bank below it is left out.
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


TERRACE_LEVELS = (10, 20, 40, 60)


def eye_on(level: int) -> float:
    """The height in metres of somebody's eyes on the terrace of a level."""
    return 139.7 + (level - 40) * EAST_TOWER.floor_height


VIEWS = {
    view.name: view
    for view in (
        View(
            "hero",
            location=(-30, -470, 34),
            azimuth=0,
            lens=19.5,
            aspect=2.4,
            shift=(-0.035, 0.0476),
            exposure=0.9,
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
                location=(33, -22, eye_on(level)),
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
                location=(47, 21.5, eye_on(level)),
                azimuth=-16,
                lens=17,
                aspect=5 / 3,
                shift=(0, 0.042),
                exposure=1.2,
                parts=("city.city", "terrace.terrace"),
            )
            for level in TERRACE_LEVELS
        ),
    )
}
