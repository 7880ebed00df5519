"""The plan of the arrival lobby, in the format of the flats: one tall room with glass to the garden and a desk."""

LOBBY = {
    "id": "lobby",
    "north": 0,
    "walls": "travertine",
    "rooms": [
        {"name": "lobby", "floor": "stone", "polygon": [(0, 0), (13, 0), (13, 9), (0, 9)]},
        {"name": "balcony", "floor": "deck", "polygon": [(0, 9), (13, 9), (13, 12), (0, 12)]},
    ],
    "open": [((0, 9), (0, 12)), ((0, 12), (13, 12)), ((13, 9), (13, 12))],
    "parapets": [],
    "openings": [{"kind": "sliding", "from": (0.6 + 4.0 * k, 9), "to": (4.4 + 4.0 * k, 9)} for k in range(3)],
    "furniture": [
        {"symbol": "reception", "at": (12.0, 4.0), "turn": 90, "width": 4.2, "depth": 0.75},
        {"symbol": "slats", "at": (12.9, 4.5), "turn": 90, "width": 8.4, "depth": 0.1, "height": 4.2},
        {"symbol": "rug", "at": (4.4, 5.5), "turn": 0, "width": 4.4, "depth": 3.2},
        {"symbol": "sofa", "at": (4.4, 2.5), "turn": 0, "width": 2.7, "depth": 0.95},
        {"symbol": "armchair", "at": (3.5, 6.3), "turn": 168, "width": 0.78, "depth": 0.80},
        {"symbol": "armchair", "at": (5.2, 6.3), "turn": 192, "width": 0.78, "depth": 0.80},
        {"symbol": "coffee-table", "at": (4.4, 4.5), "turn": 0, "width": 1.3, "depth": 0.8},
        {"symbol": "reading", "at": (4.2, 4.5), "turn": 12, "width": 0.34},
        {"symbol": "side-table", "at": (6.2, 2.9)},
        {"symbol": "plant", "at": (1.0, 1.3), "width": 0.7},
        {"symbol": "plant", "at": (12.2, 8.5), "width": 0.7},
        {"symbol": "ring", "at": (4.4, 2.7), "width": 2.6, "height": 3.5},
        {"symbol": "ring", "at": (4.4, 3.1), "width": 1.8, "height": 3.9},
        {"symbol": "floor-lamp", "at": (2.5, 2.8)},
    ],
}
