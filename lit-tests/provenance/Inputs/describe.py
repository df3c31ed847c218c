"""Describes what --print-provenance=json says on standard input: a line for each expression."""
import json
import sys

data = json.load(sys.stdin)
for entry in data["expressions"]:
    sources = [data["sources"][number] for number in entry["from"]]
    print(entry["function"], entry["line"], entry.get("operator", "-"), "from",
          ", ".join("{function} {operator} {line}:{column}".format(**source) for source in sources), "by",
          ", ".join("#{number} {name}".format(**data["passes"][number]) for number in entry["by"]) or "nothing")
