"""Calls of random Relay programs as programs of their own, so that what differs names the operator.

The text of a program has each expression in a line, with its type. What a call takes becomes a parameter of that type;
scalars and the fields of tuples that are written out stay in the call. Calls with other operands are left out.
"""

import os
import re

DTYPE = r"(?:u?int\d+|float\d+|bool)"
TENSOR = rf"(?:Tensor\[\([^)]*\), {DTYPE}\]|{DTYPE})"
TYPE_COMMENT = r" /\* ty=(.*) \*/"
CALL = re.compile(rf"^\s*(?:let )?(%\w+)(?:: .*?)? = ([a-z_][\w.]*)\((.*)\){TYPE_COMMENT};$")
TUPLE = re.compile(rf"^\s*(%\w+) = \((.*)\){TYPE_COMMENT};$")
PARAMETER = re.compile(rf"(%\w+): ({TENSOR}) /\* ty=")
# Attributes whose values make another call; of others only the names do.
TELLING = re.compile("dtype|layout|mode|axis|keepdims|exclude|method")


def parts_of(text):
    """The parts of a list, between its outer commas."""
    parts, depth, is_text = [""], 0, False
    for c in text:
        is_text ^= c == '"'
        if not is_text:
            depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0 and not is_text:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


class Call:
    """One call of a program whose `types` and `tuples` are known by name."""

    def __init__(self, op, operands, types, tuples):
        self.op, self.types, self.tuples = op, types, tuples
        self.params = []
        self.args = [self.argument(operand) for operand in parts_of(operands)]

    def parameter(self, type_text):
        if type_text is None or not re.fullmatch(TENSOR, type_text):
            return None
        self.params.append(type_text)
        return f"%p{len(self.params) - 1}"

    def argument(self, operand):
        """What stands for an operand or attribute; None if it cannot stand alone."""
        if "meta[relay.attrs" in operand:
            return None
        if re.match(r"\w+=", operand):
            return operand
        value, _, comment = operand.partition(" /* ty=")
        if value in self.tuples:
            fields = [self.parameter(self.types.get(field)) for field in self.tuples[value]]
            return None if None in fields else f"({', '.join(fields)}{',' * (len(fields) == 1)})"
        if value.startswith("%"):
            return self.parameter(self.types.get(value))
        return operand if re.fullmatch(r"-?[\w.+-]+", value) else self.parameter(comment.removesuffix(" */"))

    def key(self):
        """Equal for calls of one kind."""
        def kind(type_text):
            is_empty = re.search(r"[(, ]0[,)]", type_text) is not None
            return re.search(DTYPE, type_text)[0], type_text.startswith("Tensor"), "?" in type_text, is_empty
        attributes = tuple(arg if TELLING.search(arg) else arg.split("=")[0] for arg in self.args if "=" in arg)
        return self.op, tuple(map(kind, self.params)), attributes

    def program(self):
        params = ", ".join(f"%p{i}: {type_text}" for i, type_text in enumerate(self.params))
        return f'#[version = "0.0.5"]\ndef @main({params}) {{\n  {self.op}({", ".join(self.args)})\n}}\n'


def calls_in(text):
    types, tuples = {}, {}
    for line in text.splitlines():
        types.update(PARAMETER.findall(line))
        if made := TUPLE.match(line):
            tuples[made[1]] = [field.partition(" /* ty=")[0] for field in parts_of(made[2])]
        elif made := CALL.match(line):
            types[made[1]] = made[4]
            call = Call(made[2], made[3], types, tuples)
            if None not in call.args:
                yield call


def write_calls(programs, folder):
    """Writes a program for each kind of call in the files; returns the number of programs, which are fuzz-I.relay."""
    seen = set()
    for path in programs:
        with open(path, encoding="utf-8") as file:
            found = list(calls_in(file.read()))
        for call in found:
            if call.key() in seen:
                continue
            with open(os.path.join(folder, f"fuzz-{len(seen)}.relay"), "w", encoding="utf-8") as file:
                file.write(call.program())
            seen.add(call.key())
    return len(seen)
