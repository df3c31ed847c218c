"""The boxes that the results of detection networks stand for.

A box is (x, y, w, h): its middle and extents as parts of the picture's, or in pixels. A detection is a dict with `bbox`,
`objectness`, `prob` (one number a class) and, of Yolo layers, `classes`.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

Box = namedtuple("Box", ["x", "y", "w", "h"])


def fill_network_boxes(net_shape: tuple[int, int], im_shape: tuple[int, int], thresh: float, relative: bool,
                       tvm_out: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The detections of all layers. Shapes are (width, height), `net_shape` that of the network's input, in which the picture
    keeps its proportions. A layer is a dict with `type` ("Yolo" or "Region"), `output` (anchors, values, rows, columns),
    `biases`, `classes`, and `mask`, or `coords` and `background`. Boxes are parts of the picture, or with `relative=False` in
    pixels."""
    found = []
    for layer in tvm_out:
        if layer["type"] == "Yolo":
            found += _yolo(layer, net_shape, thresh)
        elif layer["type"] == "Region":
            found += _region(layer, thresh)
        else:
            raise ValueError(f"a layer is of type Yolo or Region, not {layer['type']}")
    for detection in found:
        detection["bbox"] = _on_picture(detection["bbox"], im_shape, net_shape, relative)
    return found


def do_nms_sort(dets: list[dict[str, Any]], classes: int, thresh: float) -> None:
    """For each class clears the probabilities of boxes that overlap a more probable one by more than `thresh` (intersection
    over union). Detections without objectness go to the end; the others are sorted by the last class."""
    live = [each for each in dets if each["objectness"] != 0]
    dets[:] = live + [each for each in dets if each["objectness"] == 0]
    for index in range(classes):
        live.sort(key=lambda each: each["prob"][index], reverse=True)
        for i, kept in enumerate(live):
            if kept["prob"][index] == 0:
                continue
            for other in live[i + 1:]:
                if _overlap(kept["bbox"], other["bbox"]) > thresh:
                    other["prob"][index] = 0
    dets[:len(live)] = live


def _yolo(layer: Mapping[str, Any], net_shape: tuple[int, int], thresh: float) -> list[dict[str, Any]]:
    import numpy as np

    data, classes = layer["output"], layer["classes"]
    found = []
    for anchor, row, column in zip(*np.where(data[:, 4] > thresh)):
        values = data[anchor, :, row, column]
        prob = values[4] * values[5:5 + classes]
        prob[prob < thresh] = 0
        bias = layer["mask"][anchor] * 2
        found.append({"bbox": _box(values, layer["biases"][bias:bias + 2], (row, column), data.shape[2:], net_shape),
                      "classes": classes, "prob": prob, "objectness": values[4]})
    return found


def _region(layer: Mapping[str, Any], thresh: float) -> list[dict[str, Any]]:
    import numpy as np

    data, coords, classes = layer["output"], layer["coords"], layer["classes"]
    cells = data.shape[2:]
    found = []
    for row in range(cells[0]):
        for column in range(cells[1]):
            for anchor in range(data.shape[0]):
                values = data[anchor, :, row, column]
                scale = 1 if layer["background"] else values[coords]
                prob = np.zeros(classes, data.dtype)
                if scale > thresh:
                    prob = scale * values[coords + 1:coords + 1 + classes]
                    prob[prob < thresh] = 0
                found.append({"bbox": _box(values, layer["biases"][2 * anchor:2 * anchor + 2], (row, column), cells, cells),
                              "prob": prob, "objectness": scale if scale > thresh else 0})
    return found


def _box(values: Any, biases: Any, cell: tuple[int, int], cells: Any, extents: Any) -> Box:
    """The box of one anchor in one cell, as parts of the network's input."""
    import numpy as np

    return Box((cell[1] + values[0]) / cells[1], (cell[0] + values[1]) / cells[0],
               np.exp(values[2]) * biases[0] / extents[0], np.exp(values[3]) * biases[1] / extents[1])


def _on_picture(box: Box, picture: tuple[int, int], net: tuple[int, int], relative: bool) -> Box:
    """A box of the network's input, in the middle of which the picture lies, on the picture."""
    wide = net[0] / picture[0] < net[1] / picture[1]
    width = net[0] if wide else picture[0] * net[1] // picture[1]
    height = picture[1] * net[0] // picture[0] if wide else net[1]
    placed = Box((box.x - (net[0] - width) / 2 / net[0]) / (width / net[0]),
                 (box.y - (net[1] - height) / 2 / net[1]) / (height / net[1]), box.w * net[0] / width, box.h * net[1] / height)
    if relative:
        return placed
    return Box(placed.x * picture[0], placed.y * picture[1], placed.w * picture[0], placed.h * picture[1])


def _overlap(a: Box, b: Box) -> float:
    """Intersection over union."""
    width = min(a.x + a.w / 2, b.x + b.w / 2) - max(a.x - a.w / 2, b.x - b.w / 2)
    height = min(a.y + a.h / 2, b.y + b.h / 2) - max(a.y - a.h / 2, b.y - b.h / 2)
    if width < 0 or height < 0:
        return 0.0
    both = width * height
    return float(both / (a.w * a.h + b.w * b.h - both))
