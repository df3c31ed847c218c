"""Describes an SVG picture of a graph: its boxes, its nodes from top to bottom, and how many of the nodes overlap."""
import sys
import xml.etree.ElementTree

ns = "{http://www.w3.org/2000/svg}"
root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
for text in root.iter(ns + "text"):
    if text.get("class") == "h":
        print("box", text.text)
nodes = []
for group in root.iter(ns + "g"):
    rect = group.find(ns + "rect")
    place = tuple(int(rect.get(key)) for key in ("y", "x", "width", "height"))
    nodes.append((place, group.find(ns + "title").text.replace("\n", " ")))
for _, title in sorted(nodes):
    print(title)
overlaps = 0
rows = {}
for (y, x, width, _), _ in nodes:
    rows.setdefault(y, []).append((x, x + width))
for row in rows.values():
    row.sort()
    overlaps += sum(a[1] > b[0] for a, b in zip(row, row[1:]))
print("overlaps", overlaps)
