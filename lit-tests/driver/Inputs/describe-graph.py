"""Describes a graph of --emit=json: its boxes, then its edges, sorted by where they begin."""
import json
import sys

graph = json.load(sys.stdin)
boxes = [f["label"] for f in graph["functions"]]
print(graph["version"], [f["label"] + ("" if f["parent"] is None else " in " + boxes[f["parent"]])
                         for f in graph["functions"]])
for edge in sorted(graph["edges"], key=lambda e: (e["from"], e["to"])):
    a, b = graph["nodes"][edge["from"]], graph["nodes"][edge["to"]]
    there = "" if a["function"] == b["function"] else " in " + boxes[b["function"]]
    print(f'{boxes[a["function"]]}: {a["label"]} -> {b["label"]}{there}')
