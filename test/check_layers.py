#!/usr/bin/env python3
"""Checks that no layer includes a header of a layer to its right: check_layers.py ROOT LAYER..., lowest layer first."""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](?:lib|relayopt)/([\w/]+)/', re.MULTILINE)


def layer_of(folder, layers):
    """The layer that a folder belongs to: itself or the nearest of those around it."""
    while folder and folder not in layers:
        folder = folder.rpartition("/")[0]
    return folder


def main():
    root, layers = pathlib.Path(sys.argv[1]), sys.argv[2:]
    faults = 0
    for height, layer in enumerate(layers):
        above = set(layers[height + 1:])
        for place in (root / "lib" / layer, root / "include" / "relayopt" / layer):
            for path in sorted(place.rglob("*")):
                if path.suffix not in (".h", ".cpp"):
                    continue
                for folder in INCLUDE.findall(path.read_text()):
                    used = layer_of(folder, layers)
                    if used in above:
                        print(f"{path.relative_to(root)}: layer {layer} may not include from {used}")
                        faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
