#!/usr/bin/env python3
"""Writes the ONNX model that the lines `// onnx:` of a test describe: make.py TEST MODEL [ARRAYS].

  // onnx: opset 13                         (domain after the number)
  // onnx: input x float 2,?,batch          (type, extents; - for rank 0, * for an unknown rank)
  // onnx: weight w int64 2 = 1 2           (or `= @file` for external data; 1*3 for 1 1 1)
  // onnx: array x int64 2 = 1 2            (goes into ARRAYS: an archive, or a folder of input_0.pb, input_1.pb...)
  // onnx: node Softmax x -> y axis=1 name="last"   (ints as 1,2; floats with a point; texts as s:a,b; a
                                           domain as ml::Scaler; tensors as @file:float:2 or #float:2:1,2)
  // onnx: output y
  // onnx: value v float 2,3                (states the type of a value between nodes)
  // onnx: function f a b -> c              (until `end`; its nodes stand between)
  // onnx: graph g i:int64:- x:float:2 -> c (until `end`; for nodes behind it, as body=&g)
"""
import os
import struct
import sys

TYPES = {"float": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "string": 8, "bool": 9, "float16": 10, "double": 11,
         "bfloat16": 16}
GRAPHS = {}
FORMATS = {1: "f", 2: "B", 3: "b", 6: "i", 7: "q", 9: "?", 10: "e", 11: "d"}


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def value_info(name, type_name=None, extents="-"):
    if type_name is None:
        return block(1, name)
    if extents == "*":
        return block(1, name) + block(2, block(1, number(1, TYPES[type_name])))
    dims = b""
    for extent in [] if extents == "-" else extents.split(","):
        dims += block(1, number(1, int(extent)) if extent.isdigit() else b"" if extent == "?" else block(2, extent))
    return block(1, name) + block(2, block(1, number(1, TYPES[type_name]) + block(2, dims)))


def tensor(name, type_name, extents, values):
    code = TYPES[type_name]
    out = b"".join(number(1, int(e)) for e in ([] if extents == "-" else extents.split(",")))
    out += number(2, code) + block(8, name)
    if values.startswith("@"):
        return out + block(13, block(1, "location") + block(2, values[1:])) + number(14, 1)
    if type_name == "string":
        return out + b"".join(block(6, v) for v in values.split())
    words = [v for word in values.split() for v in word.partition("*")[:1] * int(word.partition("*")[2] or 1)]
    data = [float(v) if code in (1, 10, 11) else int(v) for v in words]
    return out + block(9, struct.pack("<%d%s" % (len(data), FORMATS[code]), *data))


def attribute(name, text):
    out = block(1, name)
    if text.startswith('"'):
        return out + block(4, text.strip('"')) + number(20, 3)
    if text.startswith("@"):
        path, *kind = text[1:].split(":")
        return out + block(5, tensor("", *kind, "@" + path)) + number(20, 4)
    if text.startswith("#"):
        kind, extents, values = text[1:].split(":")
        return out + block(5, tensor("", kind, extents, values.replace(",", " "))) + number(20, 4)
    if text.startswith("&"):
        return out + block(6, GRAPHS[text[1:]]) + number(20, 5)
    if text.startswith("$"):
        return out + block(21, text[1:]) + number(20, 2)
    if text.startswith("s:"):
        return out + b"".join(block(9, v) for v in text[2:].split(",")) + number(20, 8)
    if "." in text and "," in text:
        return out + b"".join(varint(7 << 3 | 5) + struct.pack("<f", float(v)) for v in text.split(",")) + number(20, 6)
    if "." in text:
        return out + varint(2 << 3 | 5) + struct.pack("<f", float(text)) + number(20, 1)
    if "," in text:
        return out + b"".join(number(8, int(v)) for v in text.split(",") if v) + number(20, 7)
    return out + number(3, int(text)) + number(20, 2)


def words(text):
    """The words of a text; between quotes there may be spaces."""
    out = []
    for i, part in enumerate(text.split('"')):
        if i % 2:
            out[-1] += f'"{part}"'
        else:
            out += part.split()
    return out


def node(line):
    head, tail = line.split("->")
    op, *inputs = head.split()
    domain, _, op = op.rpartition("::")
    out = b"".join(block(1, "" if i == "_" else i) for i in inputs)
    name = b""
    for word in words(tail):
        key, equals, value = word.partition("=")
        if not equals:
            out += block(2, "" if key == "_" else key)
        elif key == "name":
            name = block(3, value.strip('"'))
        else:
            out += block(5, attribute(key, value))
    return out + name + block(4, op) + (block(7, domain) if domain else b"")


def write_array(path, index, name, type_name, extents, values):
    if not path.endswith(".npz"):
        os.makedirs(path, exist_ok=True)
        with open("%s/input_%d.pb" % (path, index), "wb") as file:
            file.write(tensor(name, type_name, extents, values))
        return
    import zipfile  # Here, because most runs need none, and to load it takes longer than all else.
    code = TYPES[type_name]
    data = [float(v) if code in (1, 10, 11) else int(v) for v in values.split()]
    shape = [] if extents == "-" else extents.split(",")
    kind = {1: "<f4", 2: "|u1", 3: "|i1", 6: "<i4", 7: "<i8", 9: "|b1", 10: "<f2", 11: "<f8"}[code]
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (kind, "".join(e + "," for e in shape))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with zipfile.ZipFile(path, "a" if index else "w") as archive:
        archive.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                         struct.pack("<%d%s" % (len(data), FORMATS[code]), *data))


def main():
    arrays = 0
    graph = block(2, "test")
    model = number(1, 8)
    functions = b""
    inside = None
    for line in open(sys.argv[1]):
        if not line.startswith("// onnx: "):
            continue
        kind, _, rest = line[9:].strip().partition(" ")
        words = rest.split()
        if kind == "opset":
            model += block(8, (block(1, words[1]) if len(words) > 1 else b"") + number(2, int(words[0])))
        elif kind == "input":
            graph += block(11, value_info(*words))
        elif kind == "output":
            graph += block(12, value_info(*words))
        elif kind == "value":
            graph += block(13, value_info(*words))
        elif kind == "weight":
            left, _, values = rest.partition("=")
            graph += block(5, tensor(*left.split(), values.strip()))
        elif kind == "array":
            left, _, values = rest.partition("=")
            write_array(sys.argv[3], arrays, *left.split(), values.strip())
            arrays += 1
        elif kind == "function":
            head, tail = rest.split("->")
            name, *inputs = head.split()
            inside = block(1, name) + block(10, "local") + b"".join(block(4, i) for i in inputs)
            inside += b"".join(block(5, o) for o in tail.split()) + block(9, number(2, 17))
            field = 7
        elif kind == "graph":
            head, tail = rest.split("->")
            name, *inputs = head.split()
            inside = block(2, name) + b"".join(block(11, value_info(*i.split(":"))) for i in inputs)
            inside += b"".join(block(12, value_info(*o.split(":"))) for o in tail.split())
            field = 1
        elif kind == "end":
            if field == 7:
                functions += block(25, inside)
            else:
                GRAPHS[name] = inside
            inside = None
        elif inside is not None:
            inside += block(field, node(rest))
        else:
            graph += block(1, node(rest))
    with open(sys.argv[2], "wb") as file:
        file.write(model + block(7, graph) + functions)


main()
