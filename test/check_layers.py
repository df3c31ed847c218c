#!/usr/bin/env python3
"""Checks that no layer includes a header of a layer to its right, and that the houses of the kinds of functions include
nothing of each other: check_layers.py ROOT LAYER..., lowest layer first."""
import pathlib
import re
import sys

# One for each kind of functions; the layers in them begin with these names.
HOUSES = ("relay", "tir")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](?:lib|relayopt)/([\w/]+)/', re.MULTILINE)


def layer_of(folder, layers):
    """The layer that a folder belongs to: itself or the nearest of those around it."""
    while folder and folder not in layers:
        folder = folder.rpartition("/")[0]
    return folder


def house_of(layer):
    """The house that a layer is a part of, or none."""
    house = layer.partition("/")[0]
    return house if house in HOUSES else None


def may_include(layer, used, layers):
    """Whether files of a layer may include headers of another."""
    if house_of(layer) and house_of(used) and house_of(layer) != house_of(used):
        return False
    return used not in layers or layers.index(used) <= layers.index(layer)


def main():
    root, layers = pathlib.Path(sys.argv[1]), sys.argv[2:]
    faults = 0
    for layer in layers:
        for place in (root / "lib" / layer, root / "include" / "relayopt" / layer):
            for path in sorted(place.rglob("*")):
                if path.suffix not in (".h", ".cpp"):
                    continue
                for folder in INCLUDE.findall(path.read_text()):
                    used = layer_of(folder, layers)
                    if not may_include(layer, used, layers):
                        print(f"{path.relative_to(root)}: layer {layer} may not include from {used}")
                        faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
