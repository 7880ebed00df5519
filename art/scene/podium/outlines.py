"""Bands along rounded outlines: kerbs, rims, soffits."""

from mesh import BLACK, Color, MeshBuilder, Point2, offset, outward_normals, rounded_rectangle


def matching_outlines(
    half: tuple[float, float, float], insets: tuple[float, ...], step: float = 1.0
) -> list[list[Point2]]:
    """A rounded rectangle (half width, half depth, radius) moved inwards by each of `insets`, point by point."""
    outline = rounded_rectangle(*half, step)
    normals = outward_normals(outline)
    return [offset(outline, normals, -inset) for inset in insets]


def add_band(
    mesh: MeshBuilder, outer: list[Point2], inner: list[Point2], z: float, material: str, color: Color = BLACK
) -> None:
    """A level ring between two outlines with equally many points. Swap the outlines for a ring that faces down."""
    for i in range(len(outer)):
        n = (i + 1) % len(outer)
        mesh.face([(*outer[i], z), (*outer[n], z), (*inner[n], z), (*inner[i], z)], material, color)
