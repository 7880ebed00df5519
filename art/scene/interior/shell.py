"""The shell of a flat: walls with openings, floors, ceilings, frames, glass and the balcony."""

from dataclasses import dataclass
from math import dist

import bpy
from mathutils import Vector

from interior.unit import INNER_WALL, OUTER_WALL, Flat, covered, inside
from mesh import MeshBuilder, Point2, circle
from stage import Scene

DOOR, WINDOW, SILL, SKIRTING = 2.25, 2.6, 0.45, 0.07
FRAME = 0.045
HIGH = ("living", "livingRoom", "dining", "terrace", "balcony", "lobby")
FLOORS = {"oak": "oak floor", "tile": "floor tile", "deck": "balcony deck", "stone": "travertine floor"}


@dataclass(frozen=True)
class Hole:
    """An opening in one side of a wall, in metres along it and above the floor."""

    start: float
    end: float
    low: float
    high: float
    kind: str


class Shell:
    def __init__(self, scene: Scene, flat: Flat):
        self.scene, self.flat = scene, flat
        self.plan = flat.plan
        self.walls = self.mesh("walls")
        self.frames = self.mesh("frames")
        self.glass = self.mesh("panes")
        # The rooms that the view shows, whose windows light it.
        view = scene.view.name.rpartition("-")[2]
        self.lit_rooms = {"living": ("living", "livingRoom"), "bedroom": ("bedroom", "mainBedroom")}.get(view, ())
        self.outdoors = {room["name"] for room in self.plan["rooms"] if room["floor"] == "deck"}

    def mesh(self, name: str) -> MeshBuilder:
        return self.scene.mesh(f"{self.flat.unit} {name}")

    def build(self) -> None:
        for room in self.plan["rooms"]:
            self.room(room)
            self.downlights(room)
        for index, opening in enumerate(self.plan["openings"]):
            self.add_opening(opening, index in self.flat.open_doors)
            if opening["kind"] in ("window", "sliding"):
                self.add_portal(opening)
        for parapet in self.plan["parapets"]:
            self.railing(from_page(parapet[0]), from_page(parapet[1]))
        move_to_site(self.flat, self.walls.build())
        frames = move_to_site(self.flat, self.frames.build())
        bevel(frames, 0.003)
        panes = move_to_site(self.flat, self.glass.build())
        # Panes do not block light, because sampling windows through panes would only add noise.
        panes.visible_shadow = panes.visible_diffuse = False

    def room(self, room: dict) -> None:
        outdoors = room["name"] in self.outdoors
        polygon = [from_page(point) for point in room["polygon"]]
        height = self.room_height(room)
        self.walls.horizontal(polygon, 0.0, FLOORS[room["floor"]])
        self.walls.horizontal(polygon, height, "balcony soffit" if outdoors else "ceiling", down=True)
        edges = list(zip(polygon, polygon[1:] + polygon[:1]))
        insets = [self.half_thickness(edge) for edge in edges]
        area = sum(ax * by - bx * ay for (ax, ay), (bx, by) in edges)
        for i, edge in enumerate(edges):
            self.wall(
                edge, insets[i], (insets[i - 1], insets[(i + 1) % len(edges)]), 1 if area > 0 else -1, i, edges, room
            )

    def downlights(self, room: dict) -> None:
        """Adds lamps in the ceiling. By day they are on, but too weak to light the room."""
        polygon = [from_page(point) for point in room["polygon"]]
        xs, ys = zip(*polygon)
        height = self.room_height(room)
        across, along = max(1, round((max(xs) - min(xs)) / 2.0)), max(1, round((max(ys) - min(ys)) / 2.0))
        for i in range(across):
            for j in range(along):
                x = min(xs) + (max(xs) - min(xs)) * (i + 0.5) / across
                y = min(ys) + (max(ys) - min(ys)) * (j + 0.5) / along
                if not inside(polygon, (x, y)):
                    continue
                glow = (2.6, 2.2, 1.7) if self.scene.view.sun else (8.0, 6.0, 4.0)
                self.walls.horizontal(circle(x, y, 0.052, 32), height - 0.002, "lacquer", (0.8, 0.79, 0.77), down=True)
                self.walls.horizontal(circle(x, y, 0.040, 32), height - 0.003, "glowing", glow, down=True)
                if self.scene.view.sun:
                    continue
                power = (6.0 if room["name"] in self.outdoors else 15.0) * (height / 2.85) ** 1.5
                self.scene.spot(*self.flat.place(x, y), self.flat.floor + height - 0.02, power)

    def room_height(self, room: dict) -> float:
        """The height of a room. Only rooms in HIGH extend to the flat's ceiling."""
        return self.flat.ceiling if room["name"] in HIGH else min(self.flat.ceiling, 2.85)

    def half_thickness(self, edge: tuple[Point2, Point2]) -> float:
        """Half the thickness of the wall along an edge."""
        for room in self.plan["rooms"]:
            polygon = [from_page(point) for point in room["polygon"]]
            for other in zip(polygon, polygon[1:] + polygon[:1]):
                if covered(edge, other) and dot(edge, other) < 0 and room["name"] not in self.outdoors:
                    return INNER_WALL
        return OUTER_WALL

    def add_portal(self, opening: dict) -> None:
        """Directs samples of the sky to the window of a room that the view shows. A portal emits no light."""
        segment = from_page(opening["from"]), from_page(opening["to"])
        (ax, ay), (bx, by) = segment
        if self.rooms_along(segment) != 1:
            return
        for room in self.plan["rooms"]:
            polygon = [from_page(point) for point in room["polygon"]]
            edges = [edge for edge in zip(polygon, polygon[1:] + polygon[:1]) if covered(segment, edge)]
            if room["name"] not in self.lit_rooms or not edges:
                continue
            area = sum(px * qy - qx * py for (px, py), (qx, qy) in zip(polygon, polygon[1:] + polygon[:1]))
            (px, py), (qx, qy) = edges[0]
            side = 1 if area > 0 else -1
            length = abs(qx - px) + abs(qy - py)
            inwards = (-(qy - py) / length * side, (qx - px) / length * side)
            low, high = sill_and_head(opening["kind"], self.room_height(room))
            light = bpy.data.lights.new("portal", "AREA")
            light.shape, light.size, light.size_y = "RECTANGLE", abs(bx - ax) + abs(by - ay), high - low
            light.cycles.is_portal = True
            item = bpy.data.objects.new("portal", light)
            place = self.flat.place
            (x0, y0), (x1, y1) = place(0, 0), place(*inwards)
            item.location = (*place((ax + bx) / 2, (ay + by) / 2), self.flat.floor + (low + high) / 2)
            item.rotation_euler = Vector((x1 - x0, y1 - y0, 0)).to_track_quat("-Z", "Y").to_euler()
            self.scene.blender.collection.objects.link(item)

    def rooms_along(self, segment: tuple[Point2, Point2]) -> int:
        """The number of rooms with walls that have a part of the segment in their outline."""
        count = 0
        for room in self.plan["rooms"]:
            polygon = [from_page(point) for point in room["polygon"]]
            edges = zip(polygon, polygon[1:] + polygon[:1])
            count += room["name"] not in self.outdoors and any(covered(segment, edge) for edge in edges)
        return count

    def wall(self, edge, inset, neighbours, side, index, edges, room) -> None:
        (ax, ay), (bx, by) = edge
        length = abs(bx - ax) + abs(by - ay)
        ux, uy = (bx - ax) / length, (by - ay) / length
        nx, ny = -uy * side, ux * side
        height = self.room_height(room)
        material = "facade stone" if room["name"] in self.outdoors else self.plan.get("walls", "plaster")
        holes = self.holes(edge, height)

        def at(along: float, depth: float, z: float):
            return (ax + ux * along + nx * depth, ay + uy * along + ny * depth, z)

        def face(s0, s1, z0, z1, d0=inset, d1=inset, surface=material):
            if s1 - s0 > 0.001 and z1 - z0 > 0.001:
                self.walls.face([at(s0, d0, z0), at(s1, d1, z0), at(s1, d1, z1), at(s0, d0, z1)], surface)

        # The face of the wall is shorter at an inner corner of the room and longer at an outer one.
        before, after = edges[index - 1], edges[(index + 1) % len(edges)]
        start = neighbours[0] * corner_sign(before, edge, side)
        end = length - neighbours[1] * corner_sign(edge, after, side)
        # Nothing stands in a corner that is open on both sides.
        (open_start, open_end), (_, open_before), (open_after, _) = map(self.open_ends, (edge, before, after))
        open_corners = [
            s for s, is_open in ((start, open_start and open_before), (end, open_end and open_after)) if is_open
        ]
        at_now = start
        for hole in sorted(holes, key=lambda hole: hole.start):
            first, last = max(hole.start, start), min(hole.end, end)
            face(at_now, first, 0, height)
            face(first, last, hole.high, height)
            face(first, last, 0, hole.low)
            # The reveals, to the middle of the wall.
            for s in (first, last):
                if s in open_corners:
                    continue
                self.walls.face(
                    [at(s, 0, hole.low), at(s, inset, hole.low), at(s, inset, hole.high), at(s, 0, hole.high)], material
                )
            for z in {hole.low, hole.high} - {0.0, height}:
                self.walls.face([at(first, 0, z), at(last, 0, z), at(last, inset, z), at(first, inset, z)], material)
            at_now = last
        face(at_now, end, 0, height)
        if room["name"] not in self.outdoors:
            self.skirting(at, inset, start, end, holes)

    def skirting(self, at, inset: float, start: float, end: float, holes: list[Hole]) -> None:
        stops = [
            start,
            *(s for hole in sorted(holes, key=lambda h: h.start) if hole.low == 0 for s in (hole.start, hole.end)),
            end,
        ]
        for s0, s1 in zip(stops[::2], stops[1::2]):
            if s1 > s0:
                d = inset + 0.012
                self.walls.face([at(s0, d, 0), at(s1, d, 0), at(s1, d, SKIRTING), at(s0, d, SKIRTING)], "skirting")
                self.walls.face(
                    [at(s0, inset, SKIRTING), at(s1, inset, SKIRTING), at(s1, d, SKIRTING), at(s0, d, SKIRTING)],
                    "skirting",
                )

    def open_parts(self, edge: tuple[Point2, Point2]) -> list[tuple[float, float]]:
        """The parts of an edge of a room without a wall, in metres along it."""
        segments = [(from_page(a), from_page(b)) for a, b in [*self.plan["open"], *self.plan["parapets"]]]
        return [part for segment in segments if (part := covered(edge, segment))]

    def open_ends(self, edge: tuple[Point2, Point2]) -> tuple[bool, bool]:
        """Whether an edge of a room has no wall at its start and at its end."""
        parts = self.open_parts(edge)
        return any(start < 0.01 for start, _ in parts), any(end > dist(*edge) - 0.01 for _, end in parts)

    def wall_across(self, edge: tuple[Point2, Point2], along: float) -> float:
        """Half the thickness of a wall across an edge that ends at a point of the edge, or 0."""
        (ax, ay), (bx, by) = edge
        part = along / dist(*edge)
        point = ax + (bx - ax) * part, ay + (by - ay) * part
        for room in self.plan["rooms"]:
            polygon = [from_page(corner) for corner in room["polygon"]]
            for other in zip(polygon, polygon[1:] + polygon[:1]):
                ends = zip(other, self.open_ends(other))
                if dot(edge, other) == 0 and any(dist(end, point) < 0.01 and not is_open for end, is_open in ends):
                    return self.half_thickness(other)
        return 0.0

    def holes(self, edge: tuple[Point2, Point2], height: float) -> list[Hole]:
        found = []
        for start, end in self.open_parts(edge):
            # The wall across an edge also covers its end.
            if start > 0.01:
                start += self.wall_across(edge, start)
            if end < dist(*edge) - 0.01:
                end -= self.wall_across(edge, end)
            found.append(Hole(start, end, 0.0, height, "open"))
        for opening in self.plan["openings"]:
            part = covered(edge, (from_page(opening["from"]), from_page(opening["to"])))
            if part:
                low, high = sill_and_head(opening["kind"], height)
                found.append(Hole(*part, low, high, opening["kind"]))
        return found

    def add_opening(self, opening: dict, is_open: bool) -> None:
        """Adds the frame and the leaf or panes."""
        a, b = from_page(opening["from"]), from_page(opening["to"])
        length = abs(b[0] - a[0]) + abs(b[1] - a[1])
        ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
        low, high = sill_and_head(opening["kind"], self.flat.ceiling)

        def bar(s0, s1, z0, z1, depth=0.05, offset=0.0, material="dark bronze", mesh=self.frames):
            corners = [
                (a[0] + ux * s - uy * d, a[1] + uy * s + ux * d)
                for s, d in (
                    (s0, offset - depth / 2),
                    (s1, offset - depth / 2),
                    (s1, offset + depth / 2),
                    (s0, offset + depth / 2),
                )
            ]
            mesh.prism(corners, z0, z1, material, material, material)

        if opening["kind"] in ("door", "entrance"):
            bar(0, 0.04, 0, high, 0.13, material="oak veneer")
            bar(length - 0.04, length, 0, high, 0.13, material="oak veneer")
            bar(0.04, length - 0.04, high - 0.04, high, 0.13, material="oak veneer")
            bar(0.045, length - 0.045, 0.006, high - 0.045, 0.042, material="oak veneer")
            bar(0.10, 0.115, 1.0, 1.14, 0.11)
            return
        bar(0, length, high - FRAME, high, 0.09)
        bar(0, length, low, low + 0.03, 0.09)
        bar(0, FRAME, low, high, 0.09)
        bar(length - FRAME, length, low, high, 0.09)
        pane = "clear pane" if self.rooms_along((a, b)) > 1 else "window pane"
        panels = max(2, round(length / 1.05))
        width = (length - 2 * FRAME) / panels
        for k in range(panels):
            shown = k if not is_open else (0 if k < panels / 2 else panels - 1)
            left = FRAME + shown * width
            track = 0.03 * (k % 2 * 2 - 1) if not is_open else 0.03 * (k % 3 - 1)
            for s in (left, left + width - FRAME):
                bar(s, s + FRAME, low + 0.03, high - FRAME, 0.04, track)
            for z in (low + 0.03, high - FRAME - 0.06):
                bar(left, left + width, z, z + 0.06, 0.04, track)
            bar(left + FRAME, left + width - FRAME, low + 0.09, high - 0.1, 0.008, track, pane, self.glass)

    def railing(self, a: Point2, b: Point2) -> None:
        length = abs(b[0] - a[0]) + abs(b[1] - a[1])
        ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
        for mesh, depth, z0, z1, material in (
            (self.glass, 0.012, 0.06, 1.08, "clear pane"),
            (self.frames, 0.05, 1.08, 1.11, "dark bronze"),
            (self.frames, 0.20, -0.3, 0.04, "facade stone"),
        ):
            corners = [
                (a[0] + ux * s - uy * d, a[1] + uy * s + ux * d)
                for s, d in ((0, -depth / 2), (length, -depth / 2), (length, depth / 2), (0, depth / 2))
            ]
            mesh.prism(corners, z0, z1, material, material, material)


def from_page(point) -> Point2:
    """Converts a point of the page, whose y axis points down."""
    return point[0], -point[1]


def sill_and_head(kind: str, height: float) -> tuple[float, float]:
    """The heights of the sill and the head of an opening."""
    match kind:
        case "window":
            return SILL, min(WINDOW, height) if height < 3.5 else height - 0.5
        case "sliding":
            return 0.0, min(WINDOW, height) if height < 3.5 else height - 0.5
        case _:
            return 0.0, DOOR


def dot(edge, other) -> float:
    return (edge[1][0] - edge[0][0]) * (other[1][0] - other[0][0]) + (edge[1][1] - edge[0][1]) * (
        other[1][1] - other[0][1]
    )


def corner_sign(edge, after, side: int) -> int:
    """1 where the polygon turns towards its inside, -1 where it turns away."""
    (ax, ay), (bx, by) = edge
    (cx, cy), (dx, dy) = after
    return 1 if ((bx - ax) * (dy - cy) - (by - ay) * (dx - cx)) * side > 0 else -1


def move_to_site(flat: Flat, item: bpy.types.Object) -> bpy.types.Object:
    """Moves an object from the flat's plan to its place on the site."""
    place = flat.place
    item.location, item.rotation_euler = (place.x, place.y, flat.floor), (0, 0, place.angle)
    return item


def bevel(item: bpy.types.Object, width: float, segments: int = 2) -> bpy.types.Object:
    """Rounds the edges. Sharp edges reflect no highlights and look artificial."""
    modifier = item.modifiers.new("bevel", "BEVEL")
    modifier.width, modifier.segments, modifier.limit_method = width, segments, "ANGLE"
    return item
