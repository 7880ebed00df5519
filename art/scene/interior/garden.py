"""The garden in front of the lobby: lawn, a hedge and trees."""

from interior.shell import from_page
from mesh import rectangle
from stage import Scene
from views import FLATS


def build(scene: Scene) -> None:
    flat = FLATS[scene.view.name]
    place, random = flat.place, scene.random("garden")
    mesh = scene.mesh("garden")
    mesh.horizontal(place.all(rectangle(-90, -150, 110, 60)), flat.floor - 0.12, "lawn")
    mesh.horizontal(place.all(rectangle(-40, -16, 60, -12)), flat.floor - 0.06, "paving")
    mesh.build()
    for k in range(90):
        x, y = -14 + 0.45 * k, 16.6 + random.uniform(-0.4, 0.9)
        scene.planting.add(
            *place(*from_page((x, y))),
            flat.floor - 0.12,
            random.choice(("bush", "grass", "bush")),
            random.uniform(0.6, 1.1),
        )
    for _ in range(46):
        x, y = random.uniform(-30, 44), random.uniform(20, 60)
        kind = random.choice(("rain", "round", "tall", "palm", "frangipani"))
        scene.planting.add(*place(*from_page((x, y))), flat.floor - 0.12, kind, random.uniform(0.7, 1.05))
