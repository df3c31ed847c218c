"""Describes the data of a report: passes, effects, verdicts, and the modules around a pass (put together again)."""
import json
import sys

text = open(sys.argv[1]).read()
if text.startswith("<!DOCTYPE"):
    text = text.split('<script id="data" type="application/json">')[1].split("</script>")[0]
report = json.loads(text)


def line(piece, first, entry):
    record, numbers = (entry, []) if isinstance(entry, int) else (entry[0], entry[1:])
    text, out, at = report["records"][record]["t"], "", 0
    for gap, number in zip(report["records"][record].get("g", []), numbers):
        out, at = out + text[at:gap] + str(number + first), gap
    return " " * report["records"][record].get("i", 0) + out + text[at:]


def module(version):
    return "\n\n".join("\n".join(line(report["pieces"][p], first, entry) for entry in report["pieces"][p]["lines"])
                       for p, first in report["versions"][version]["functions"])


for entry in report["passes"]:
    print("#{number} {name}:".format(**entry), "changed" if entry["before"] != entry["after"] else "same",
          *(f"{k} {v:+}" for k, v in entry.get("effect", {}).items()), entry.get("verdict", {}).get("kind", ""),
          entry.get("error", ""))
    for remark in entry.get("remarks", []):
        print("  remark", remark["kind"], remark.get("line", ""), remark["text"])
for number, piece in enumerate(report["pieces"]):
    print("piece", number, piece["name"], len(piece["lines"]), "lines", piece.get("base", ""), piece.get("runs", ""))
for number, version in enumerate(report["versions"]):
    graph = version["graph"]
    print("version", number, "nodes", [report["strings"][node[0]] for node in graph["nodes"]][:12])
print("finding", report.get("finding", "none"))
print(module(int(sys.argv[2]) if len(sys.argv) > 2 else -1))
