"""Shared measurements of the site in metres. x is east, y is north, z is up. The origin is between the towers."""

from dataclasses import dataclass
from math import radians

WATER_LEVEL = -2.6
PROMENADE_WIDTH = 9.0
PODIUM_HEIGHT = 20.0


@dataclass(frozen=True)
class TowerSite:
    """Position and size of a tower. `half_width` and `half_depth` are measured to the glass line."""

    name: str
    x: float
    y: float
    angle: float
    half_width: float
    half_depth: float
    floors: int
    floor_height: float
    base: float
    sky_gardens: tuple[int, ...]

    @property
    def roof(self) -> float:
        return self.base + self.floors * self.floor_height


EAST_TOWER = TowerSite("east", 52, 0, radians(14), 20.5, 13.0, 62, 3.32, PODIUM_HEIGHT, (20, 41))
WEST_TOWER = TowerSite("west", -14, 18, radians(-16), 20.5, 13.0, 62, 3.32, PODIUM_HEIGHT, (24, 45))
SERVICED_TOWER = TowerSite("serviced", 112, 14, radians(4), 17.0, 11.5, 36, 3.25, 3.0, (17,))
