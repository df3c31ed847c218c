"""Colours a few lines as an editor does, and prints what each piece is: highlight.py GRAMMAR. Patterns of one line only."""
import json
import re
import sys

with open(sys.argv[1]) as file:
    grammar = json.load(file)
rules = []
for include in grammar["patterns"]:
    for rule in grammar["repository"][include["include"][1:]]["patterns"]:
        rules.append((re.compile(rule.get("match") or rule["begin"] + ".*?" + rule["end"]), rule))
for line in ['#[version = "0.0.5"]', "def @main(%x: Tensor[(2), float32]) {", "  add(nn.relu(%x), 2f) // done"]:
    at = 0
    while True:
        found = [(match.start(), number, match, rule) for number, (regex, rule) in enumerate(rules)
                 if (match := regex.search(line, at))]
        if not found:
            break
        _, _, match, rule = min(found, key=lambda entry: entry[:2])
        if "name" in rule:
            print(f"{rule['name']}: {match.group()}")
        for group, what in rule.get("captures", {}).items():
            print(f"{what['name']}: {match.group(int(group))}")
        at = max(match.end(), at + 1)
