"""The five pictures: where the camera stands and how it sees."""

from dataclasses import dataclass

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
        View(
            "south",
            location=(33, -22, 139.7),
            azimuth=220,
            lens=17,
            aspect=5 / 3,
            shift=(0, 0.042),
            exposure=1.5,
            haze_start=250,
            haze_length=3000,
            parts=("river.river", "river.bridges", "city.city", "terrace.terrace"),
        ),
        View(
            "north",
            location=(47, 21.5, 139.7),
            azimuth=-16,
            lens=17,
            aspect=5 / 3,
            shift=(0, 0.042),
            exposure=1.2,
            parts=("city.city", "terrace.terrace"),
        ),
    )
}
