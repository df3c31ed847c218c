#!/usr/bin/env python3
"""Checks what relayopt costs: check_scale.py RELAYOPT RELAYOPT_SCALE.

Start-up: on a program of one line, instructions (counted by valgrind, so the figure does not depend on the machine).
Reading and printing: a million operators deep, on a stack of 256 KiB.
Tensor programs: modules of ten thousand functions and functions of a million statements are read and printed.
Texts that only the reader, or a writer, could find long, ONNX models that are optimized, arguments and options of many parts,
reports, and every pass and every named pipeline on each shape of programs; all on a small stack: what it takes grows with the size
to the power of EXPONENT at most, from a file to one of RATIO times its size. One process runs all of them on both files
(test/scale). Where the processor counts instructions for programs, these are compared. Else the clock chooses what valgrind counts:
what takes less than SHORT_SECONDS for the larger file, or grows in time by CLOCK_EXPONENT at most, is taken as good. Each pass must
work on one shape at least, with the options of OPTIONS.
"""
import concurrent.futures
import math
import os
import struct
import subprocess
import sys
import tempfile
import threading
import zipfile

from bench.measure import instructions, limit_stack, pipeline_instructions

STARTUP_INSTRUCTIONS = 5_000_000
STACK_BYTES = 256 * 1024
# Graphs of ONNX in one another are imported by recursion, down to a fixed limit.
TOOL_STACK_BYTES = 512 * 1024
DEEP = 1_000_000
DEEP_SECONDS = 30.0
SIZE = 4_000
MAKE_MODEL = os.path.join(os.path.dirname(__file__), "..", "lit-tests", "onnx", "Inputs", "make.py")
ACCELERATOR = os.path.join(os.path.dirname(__file__), "..", "docs", "examples", "npu.json")
EXPONENT = 1.15
# How much larger the larger one of two programs for passes is.
RATIO = 8
# Growth in time above which instructions are counted: caches make it steeper than that in instructions.
CLOCK_EXPONENT = 1.25
# Below this the clock says nothing about the exponent, nor do fewer instructions.
SHORT_SECONDS = 0.0025
FEW_INSTRUCTIONS = 5_000_000
# Above this a growth is none of a busy machine, and counting would take minutes.
LONG_SECONDS = 5.0
# A pipeline that takes longer than this on both programs has no end.
HANG_SECONDS = 120


def graph(n):
    """Graph bindings, each an operand of the next."""
    return "".join(f"  %{i} = add({'%x' if i == 0 else f'%{i - 1}'}, 1f);\n" for i in range(n)) + f"  %{n - 1}\n"


def lets(n):
    """A let chain."""
    return "".join(f"  let %v{i} = add({'%x' if i == 0 else f'%v{i - 1}'}, 1f);\n" for i in range(n)) + f"  %v{n - 1}\n"


def records(n):
    """Calls of a few operators, each with attributes and types of its own."""
    lines = []
    for i in range(n // 4):
        lines += [
            f"  %{4 * i} = split(%x, indices_or_sections=[{i + 1}i64]);\n",
            f"  %{4 * i + 1} = sum(%{4 * i}.0);\n",
            f"  %{4 * i + 2} = clip(%{4 * i + 1}, a_min={i}f, a_max={n}f);\n",
            f"  %{4 * i + 3} = add({f'%{4 * i - 1}' if i else '1f'}, %{4 * i + 2});\n",
        ]
    return "".join(lines) + f"  %{4 * (n // 4) - 1}\n"


def diamonds(n):
    """Every value is used twice: 2^n paths."""
    return "".join("  %{0} = multiply({1}, {1});\n".format(i, "%x" if i == 0 else f"%{i - 1}") for i in range(n)) + f"  %{n - 1}\n"


def wide(n):
    """Equal calls side by side, all in one tuple."""
    return "".join(f"  %{i} = nn.relu(%x);\n" for i in range(n)) + "  (" + ", ".join(f"%{i}" for i in range(n)) + ")\n"


def joined(n):
    """Values that are joined, of which only the shape is used."""
    made = "".join(f"  %{i} = add(%x, {i}f);\n" for i in range(n))
    return made + f"  %{n} = (" + ", ".join(f"%{i}" for i in range(n)) + f");\n  %{n + 1} = concatenate(%{n});\n  zeros_like(%{n + 1})\n"


def concatenations(n):
    """Values that are joined one after the other."""
    each = "  %{0} = concatenate(({1}, %x));\n"
    return "".join(each.format(i, "%x" if i == 0 else f"%{i - 1}") for i in range(n)) + f"  %{n - 1}\n"


def casts(n):
    """A clipped value that is cast again and again."""
    types = "bfloat16", "float16"
    return "  %0 = clip(%x, a_min=0f, a_max=1f);\n" + "".join(
        f'  %{i} = cast(%{i - 1}, dtype="{types[i % 2]}");\n' for i in range(1, n)) + f"  %{n - 1}\n"


def items(n):
    """Every field of one tuple."""
    made = "  %0 = (" + ", ".join(["%x"] * n) + ");\n"
    return made + "".join(f"  %{i + 1} = add(%0.{i}, {'%x' if i == 0 else f'%{i}'});\n" for i in range(n)) + f"  %{n}\n"


def let_functions(n):
    """Functions in a let chain, with their results in one tuple."""
    made = "".join(f"  let %f{i} = fn (%y{i}: Tensor[(4), float32]) {{ add(%y{i}, %x) }};\n" for i in range(n))
    return made + "  (" + ", ".join(f"%f{i}(%x)" for i in range(n)) + ")\n"


def region(n):
    """A part for another compiler with many results."""
    lines = ['  %0 = annotation.compiler_begin(%x, compiler="a");\n']
    for i in range(n):
        lines.append(f'  %{2 * i + 1} = add(%0, {i}f);\n  %{2 * i + 2} = annotation.compiler_end(%{2 * i + 1}, compiler="a");\n')
    return "".join(lines) + "  (" + ", ".join(f"%{2 * i + 2}" for i in range(n)) + ")\n"


def signs(n):
    """A value that is negated again and again."""
    return "  " + "-" * n + "%x\n"


def rows(n):
    """Rows that are stacked, and taken out again one by one."""
    made = [f"  %{i} = expand_dims(negative(%x), axis=0);\n" for i in range(n)]
    stacked = f"  %{n} = concatenate((" + ", ".join(f"%{i}" for i in range(n)) + "), axis=0);\n"
    taken = [f'  %{n + 1 + i} = take(%{n}, {i}i64, axis=0, mode="clip");\n' for i in range(n)]
    last = ", ".join(f"negative(%{n + 1 + i})" for i in range(n))
    return "".join(made) + stacked + "".join(taken) + f"  ({last})\n"


def functions(n):
    """Small functions that call one: no pass may look at the whole module for each. The text goes on after @main's body."""
    head = "  @callee(%x)\n}\ndef @callee(%x: Tensor[(4), float32]) -> Tensor[(4), float32] { %x }\n"
    each = "def @f{}(%x: Tensor[(4), float32]) {{ let %a = exp(%x); @callee(%a) }}\n"
    return head + "".join(each.format(i) for i in range(n)) + "def @last(%x: Tensor[(4), float32]) {\n  %x\n"


def convolutions(n):
    """A network of convolutions with normalization and residual sums."""
    text, last = "", "%x"
    for i in range(n // 4):
        text += (f"  %{4 * i} = nn.conv2d({last}, %w, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3]);\n"
                 f"  %{4 * i + 1} = nn.bias_add(%{4 * i}, %b);\n  %{4 * i + 2} = nn.relu(%{4 * i + 1});\n"
                 f"  %{4 * i + 3} = add(%{4 * i + 2}, {last});\n")
        last = f"%{4 * i + 3}"
    return text + f"  {last}\n"


def quantized(n):
    """Operators between dequantize and quantize."""
    text, last = "", "%x"
    for i in range(n // 4):
        text += (f"  %{4 * i} = qnn.quantize({last}, 0.5f, 0, out_dtype=\"int8\", axis=1);\n"
                 f"  %{4 * i + 1} = qnn.dequantize(%{4 * i}, 0.5f, 0, out_dtype=\"float32\", axis=1);\n  %{4 * i + 2} = nn.relu(%{4 * i + 1});\n"
                 f"  %{4 * i + 3} = nn.max_pool2d(%{4 * i + 2}, pool_size=[3, 3], padding=[1, 1, 1, 1]);\n")
        last = f"%{4 * i + 3}"
    return text + f"  {last}\n"


def branches(n):
    """Branches inside branches."""
    return "".join("  if (%c) {\n" for _ in range(n)) + "  exp(%x)\n" + "".join("  } else { %x }\n" for _ in range(n))


def joined_branches(n):
    """Branches one after the other, each of which uses the result of the one before it."""
    each = "  %{0} = if (%c) {{ exp({1}) }} else {{ negative({1}) }};\n"
    return "".join(each.format(i, "%x" if i == 0 else f"%{i - 1}") for i in range(n)) + f"  %{n - 1}\n"


def matches(n):
    """Matches inside matches. The text begins with the definition of the type."""
    head = "".join(f"  match (%l) {{\n    Cons(%h{i}, %t{i}) => {{\n" for i in range(n))
    return head + "  exp(%x)\n" + "".join("  },\n    Nil => { %x },\n  }\n" for _ in range(n))


def nested_functions(n):
    """Functions that return functions: each type contains those of all inner ones."""
    return "  " + "fn (%a: int32) { " * n + "%x" + " }" * n + "\n"


def tuples(n):
    """Tuples inside of tuples, with values that fold: each type contains those of all inner ones."""
    each = "  %{0} = (add({0}f, 1f), {1});\n"
    return "".join(each.format(i, "%x" if i == 0 else f"%{i - 1}") for i in range(n)) + f"  %{n - 1}\n"


def closures(n):
    """Functions inside functions, each of which uses what lies outside of it."""
    head = "".join(f"  let %f{i} = fn (%a{i}: Tensor[(4), float32]) -> Tensor[(4), float32] {{\n" for i in range(n))
    return head + "  add(%x, %a0)\n" + "".join(f"  }};\n  %f{i}(%x)\n" for i in reversed(range(n)))


def type_parameters(n):
    """A function of many type parameters, which is called once."""
    params = ", ".join(f"%x{i}: A{i}" for i in range(n))
    return ("  @generic(" + ", ".join(["%x"] * n) + ")\n}\n"
            + "def @generic[" + ", ".join(f"A{i}" for i in range(n)) + "](" + params + ") -> A0 {\n  %x0\n")


def arms(n):
    """A match with an arm for each of many constructors."""
    return "  match (%s) {\n" + "".join(f"    C{i}(%a{i}) => exp(%a{i}),\n" for i in range(n)) + "  }\n"


def constructors(n):
    """The type of that."""
    return "type Sum[A] {\n" + "".join(f"  C{i}(A),\n" for i in range(n)) + "}\n"


def chain(n):
    """Global functions, each of which calls the next one."""
    head = "  @f0(%x)\n}\n"
    each = "".join(f"def @f{i}(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {{ @f{i + 1}(exp(%x)) }}\n" for i in range(n))
    return head + each + f"def @f{n}(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {{\n  %x\n"


def doubling(n):
    """Global functions, each of which calls the next one twice: 2^n calls when all are inlined."""
    head = "  @f0(%x)\n}\n"
    each = "".join(f"def @f{i}(%x: Tensor[(4), float32], Inline=1) -> Tensor[(4), float32] {{ add(@f{i + 1}(%x), @f{i + 1}(%x)) }}\n"
                   for i in range(n))
    return head + each + f"def @f{n}(%x: Tensor[(4), float32], Inline=1) -> Tensor[(4), float32] {{\n  %x\n"


HOST = '{"keys": ["cpu"], "kind": "llvm", "tag": ""}'
TARGET = '"target": T.target({"host": ' + HOST + ', "keys": ["cpu"], "kind": "llvm", "tag": ""})'
SCRIPT = "from tvm.script import ir as I\nfrom tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n"


def prim_func(name, parameters, body):
    return (f"    @T.prim_func\n    def {name}({parameters}):\n        T.func_attr({{\"global_symbol\": \"{name}\", {TARGET}}})\n" + body)


def prim_funcs(n):
    """Small tensor programs side by side."""
    body = "        for i in range(8):\n            A[i] = A[i] * T.float32(2) + T.Cast(\"float32\", i * 4 // 2)\n"
    return SCRIPT + "".join(prim_func(f"f{i}", 'A: T.Buffer((8,), "float32")', body) for i in range(n))


def statements(n):
    """Loops with conditions one after the other."""
    each = ("        for i in range(8):\n            if i < {0} % 8:\n                A[i] = B[i + {0}] + T.float32({0})\n"
            "            B[{0} + 1] = A[i % 4] * A[i]\n")
    return SCRIPT + prim_func("main", f'A: T.Buffer((8,), "float32"), B: T.Buffer(({n + 8},), "float32")',
                              "".join(each.format(i) for i in range(n // 4)))


def allocations(n):
    """Memory inside of memory, and variables inside of variables."""
    each = "        a{0} = T.decl_buffer((64,))\n        v{0}: T.int32 = n * {0} + 1\n        a{0}[v{0} % 64] = A[0]\n        A[0] = a{0}[v{0} % 64]\n"
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "float32"), n: T.int32', "".join(each.format(i) for i in range(n // 4)))


def tensor_blocks(n):
    """Blocks, each of which reads what the one before it wrote."""
    each = ('        B{1} = T.alloc_buffer((8,))\n        for i in range(8):\n            with T.block("b{1}"):\n                v = T.axis.spatial(8, i)\n'
            "                B{1}[v] = {0}[v] + T.float32(1)\n")
    body = "".join(each.format("A" if i == 0 else f"B{i - 1}", i) for i in range(n // 4))
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "float32")', body)


def views(n):
    """Buffers above the allocations of their memory."""
    body = "".join(f"        V{i} = T.Buffer((8,), data=M{i})\n" for i in range(n))
    body += "".join(f'        M{i} = T.allocate([8], "float32", "global")\n' for i in range(n))
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "float32")', body + "        A[0] = V0[0]\n")


def loop_nest(n):
    """Loops inside of loops."""
    nest = "".join("        " + " " * k + f"for i{k} in range(2):\n" for k in range(n))
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "float32")', nest + "        " + " " * n + "A[i0] = T.float32(1)\n")


def choices(n):
    """A chain of elif, each of which knows that the conditions before it do not hold."""
    each = "        elif n == {0}:\n            A[0] = T.float32({0})\n"
    body = "        if n == 0:\n            A[0] = T.float32(0)\n" + "".join(each.format(i) for i in range(1, n))
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "float32"), n: T.int32', body)


def squares(n):
    """Variables that are squares of each other: 2^n factors when all are substituted."""
    each = "        v{1}: T.int32 = v{0} * v{0}\n"
    body = "        v0: T.int32 = n * 3\n" + "".join(each.format(i, i + 1) for i in range(n)) + f"        A[v{n} % 8] = T.float32(1)\n"
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "float32"), n: T.int32', body)


def let_terms(n):
    """Lets side by side in one term, five of which are inside one another's bodies each."""
    names = "".join(f"        v{i} = T.int32()\n" for i in range(n))
    groups = (range(first, min(first + 5, n)) for first in range(0, n, 5))
    nests = ("".join(f"T.Let(v{i} + " for i in group) + "n" + "".join(f", where={{v{i}: n}})" for i in reversed(group)) for group in groups)
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "int32"), n: T.int32', names + f"        A[0] = {' + '.join(nests)}\n")


def nested_lets(n):
    """Lets in the body of one another, in one term."""
    names = "".join(f"        v{i} = T.int32()\n" for i in range(n))
    nest = "".join(f"T.Let(v{i} + " for i in range(n)) + "n" + "".join(f", where={{v{i}: n + {i} * 2}})" for i in reversed(range(n)))
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "int32"), n: T.int32', names + f"        A[0] = {nest}\n")


def products(n):
    """A product that is multiplied from the right."""
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "int32"), n: T.int32',
                              "        A[0] = " + "".join(f"(n + {i}) * (" for i in range(n)) + "n" + ")" * n + "\n")


def grids(n):
    """Nests of two loops side by side, each with a condition."""
    each = ("        for i, j in T.grid(4, 8):\n            if {0} < n:\n                if i < n:\n"
            "                    A[j] = A[j] + T.float32({0})\n")
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "float32"), n: T.int32', "".join(each.format(i) for i in range(n // 4)))


def asserts(n):
    """Assertions and assumptions one after the other."""
    each = '        assert {0} < n, "n"\n        T.assume(A[{0}] == T.float32(1))\n        A[{0}] = A[{0}] + T.float32(1)\n'
    return SCRIPT + prim_func("main", f'A: T.Buffer(({n},), "float32"), n: T.int32', "".join(each.format(i) for i in range(n // 4)))


def selects(n):
    """Choices inside of a choice, in one term."""
    nest = "".join(f"T.Select(n < {i}, {i}, " for i in range(n)) + "n" + ")" * n
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "int32"), n: T.int32', f"        A[0] = {nest}\n")


def indices(n):
    """Elements as indices of elements."""
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "int32")', "        A[0] = " + "A[" * n + "0" + "]" * n + "\n")


def conjunctions(n):
    """A condition of many parts."""
    parts = " and ".join(f"A[{i}] < n + {i}" for i in range(n))
    return SCRIPT + prim_func("main", f'A: T.Buffer(({n},), "int32"), n: T.int32', f"        if {parts}:\n            A[0] = 1\n")


def compared_sums(n):
    """Two sums of the same terms, in two orders."""
    terms = [f"i{i}" for i in range(n)]
    params = "".join(f", {term}: T.int32" for term in terms)
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "int32")' + params,
                              f"        if {' + '.join(terms)} < {' + '.join(reversed(terms))}:\n            A[0] = 1\n")


def axes(n):
    """A block of many axes."""
    loops = "".join("        " + " " * k + f"for i{k} in range(2):\n" for k in range(n))
    inside = "        " + " " * n
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "float32")', loops + inside + 'with T.block("b"):\n' + "".join(
        inside + f" v{k} = T.axis.spatial(2, i{k})\n" for k in range(n)) + inside + " A[v0] = T.float32(1)\n")


def remapped_axes(n):
    """Axes of a block that stand in one line."""
    names, loops = ", ".join(f"v{k}" for k in range(n)), ", ".join(["i"] * n)
    block = '        for i in range(8):\n            with T.block("b"):\n'
    axes = f'                {names} = T.axis.remap("{"S" * n}", [{loops}])\n                A[v0] = T.float32(1)\n'
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "float32")', block + axes)


def launches(n):
    """Kernels one after the other, with memory that their threads share."""
    each = ('        with T.launch_thread("threadIdx.x", 8) as t{0}:\n            m{0} = T.decl_buffer((8,), scope="shared")\n'
            "            m{0}[t{0}] = A[t{0}]\n            A[t{0}] = m{0}[7 - t{0}]\n")
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "float32")', "".join(each.format(i) for i in range(n // 4)))


def double_buffers(n):
    """Loops one after the other whose memory is doubled."""
    each = ("        for i in range(8):\n            m{0} = T.decl_buffer((4,))\n            with T.attr(m{0}.data, \"double_buffer_scope\", 1):\n"
            "                for j in range(4):\n                    m{0}[j] = A[j]\n            A[i] = m{0}[0]\n")
    return SCRIPT + prim_func("main", 'A: T.Buffer((8,), "float32")', "".join(each.format(i) for i in range(n // 4)))


def parameters(n):
    """Many parameters."""
    return SCRIPT + prim_func("main", ", ".join(f'A{i}: T.Buffer((8,), "float32")' for i in range(n)), "        A0[0] = A1[0]\n")


def reinterpreted(n):
    """Many buffers on the memory of one parameter, each of which is used."""
    made = "".join(f"        B{i} = T.Buffer((4,), data=A.data)\n" for i in range(n))
    return SCRIPT + prim_func("main", 'A: T.Buffer((16,), "float32")', made + "".join(f"        B{i}[0] = B{i - 1}[1]\n" for i in range(1, n)))


def stores(n):
    """Many arrays, into each of which is written."""
    parameters = ", ".join(f'A{i}: T.Buffer((4,), "float32")' for i in range(n))
    return SCRIPT + prim_func("main", parameters, "".join(f"        A{i}[0] = T.float32({i}) + T.float32(0)\n" for i in range(n)))


def attributes(n):
    """Many attributes of a function."""
    items = ", ".join(f'"k{i}": {i}' for i in range(n))
    return SCRIPT + "    @T.prim_func\n    def main():\n        T.func_attr({" + items + "})\n        T.evaluate(0)\n"


def module_attributes(n):
    """Many attributes of a module."""
    items = ", ".join(f'"k{i}": {i}' for i in range(n))
    return SCRIPT + "    I.module_attrs({" + items + "})\n"


def multiline_strings(n):
    """Strings that are printed as metadata."""
    return SCRIPT + prim_func("main", "", "".join(f'        T.evaluate("a\\n{i}")\n' for i in range(n)))


# The size of the larger tensor program for passes, that of those that are only read and printed, and what they are made by.
SCRIPTS = {
    "prim_funcs": (500, 10_000, prim_funcs),
    "statements": (2_000, 1_000_000, statements),
    "allocations": (2_000, 100_000, allocations),
    "tensor_blocks": (2_000, 100_000, tensor_blocks),
    "loop_nest": (1_000, 2_000, loop_nest),
    "choices": (1_000, 2_000, choices),
    "squares": (1_000, 2_000, squares),
    "let_terms": (2_000, 2_000, let_terms),
    "nested_lets": (1_000, 2_000, nested_lets),
    "products": (2_000, 2_000, products),
    "grids": (2_000, 100_000, grids),
    "asserts": (2_000, 100_000, asserts),
    "selects": (1_000, 10_000, selects),
    # Terms of more than 2,000 parts are left alone, which the smaller program must have, too.
    "indices": (16_000, 10_000, indices),
    "conjunctions": (1_000, 10_000, conjunctions),
    "compared_sums": (1_500, 1_500, compared_sums),
    "axes": (800, 800, axes),
    "launches": (2_000, 100_000, launches),
    "double_buffers": (2_000, 100_000, double_buffers),
    "reinterpreted": (4_000, 20_000, reinterpreted),
}

# Tensor programs whose texts only the reader, or the printer, could find long, with the size of the larger one.
SCRIPT_TEXTS = {
    "views": (40_000, None, views),
    "parameters": (20_000, None, parameters),
    "remapped_axes": (20_000, None, remapped_axes),
    "attributes": (80_000, None, attributes),
    "module_attributes": (80_000, None, module_attributes),
    "multiline_strings": (80_000, None, multiline_strings),
    "stores": (8_000, None, stores),
}

VECTOR = "%x: Tensor[(4), float32]"
IMAGE = "%x: Tensor[(1, 4, 8, 8), float32]"
# The parameters of @main, the size of the larger program for passes, and what the program is made by.
PROGRAMS = {
    "graph": (VECTOR, SIZE, graph),
    "lets": (VECTOR, SIZE, lets),
    "records": ("%x: Tensor[(1000000), float32]", SIZE, records),
    "diamonds": (VECTOR, SIZE, diamonds),
    "wide": (VECTOR, SIZE, wide),
    "joined": (VECTOR, SIZE, joined),
    "region": (VECTOR, SIZE, region),
    "concatenations": (VECTOR, SIZE, concatenations),
    "casts": (VECTOR, SIZE, casts),
    "items": (VECTOR, SIZE, items),
    "functions": (VECTOR, SIZE // 2, functions),
    "convolutions": (IMAGE + ", %w: Tensor[(4, 4, 3, 3), float32], %b: Tensor[(4), float32]", SIZE, convolutions),
    "quantized": (IMAGE, SIZE, quantized),
    "unknown_extents": ("%x: Tensor[(?), float32]", SIZE, graph),
    "branches": (VECTOR + ", %c: bool", 4_000, branches),
    "joined_branches": (VECTOR + ", %c: bool", 2_000, joined_branches),
    "matches": (VECTOR + ", %l: List[Tensor[(4), float32]]", 1_000, matches),
    "closures": (VECTOR, 2_000, closures),
    "tuples": (VECTOR, SIZE, tuples),
    "chain": (VECTOR, 2_000, chain),
    "doubling": (VECTOR, 1_000, doubling),
    "type_parameters": (VECTOR, 2_000, type_parameters),
    "arms": (VECTOR + ", %s: Sum[Tensor[(4), float32]]", 2_000, arms),
}
# How passes that need options, or others before them, are run.
OPTIONS = {
    "AnnotateTarget": "AnnotateTarget<targets=[dnnl]>,MergeCompilerRegions,PartitionGraph",
    "BindParams": "BindParams<file=%s>",
    "CollagePartition": 'CollagePartition<costs={"llvm": 2, "dnnl": 1}>',
    "CombineFor": "CombineFor<target=onnx>",
    "ConvertLayout": 'ConvertLayout<desired_layouts={"nn.conv2d": ["NHWC", "default"]}>',
    "EtaExpand": "EtaExpand<expand_global_var=true>",
    "FlexibleShapeDispatch": "FlexibleShapeDispatch<buckets=[4]>",
    "FoldConstant": "fixpoint(FoldConstant)",
    "LowerFor": "LowerFor<target=onnx>",
    "MergeComposite": 'MergeComposite<table={"c": ["exp(exp(*))", "add(*, *)"]}>',
    "SimplifyFCTranspose": "SimplifyFCTranspose<target_weights=[w]>",
    "SplitArgs": "SplitArgs<max_function_args=4>",
    "UnCPS": "ToCPS,UnCPS",
    "default<partition>": "default<partition;accelerator=@" + ACCELERATOR + ">",
    **{f"default<{name}>": f"default<{name};target=llvm>"
       for name in ("tir.mixed", "tir.mixed;unpacked", "tir.host", "tir.build", "tir.build;unpacked")},
    "tir.BindTarget": "tir.BindTarget<target=llvm>",
    "tir.CompactBufferAllocation": "tir.ConvertBlocksToOpaque,tir.CompactBufferAllocation",
    "tir.Filter": "tir.Filter<calling_conv=0>",
    "tir.InjectCopyIntrin": "tir.InjectCopyIntrin<pragma_key=copy;fintrin=f>",
    "tir.LiftAttrScope": "tir.LiftAttrScope<attr_key=k>",
    "tir.RemapThreadAxis": "tir.RemapThreadAxis<threads=threadIdx.x=threadIdx.y>",
}
# Those that are only read and printed.
DEEPEST = {"nested_functions": (VECTOR, None, nested_functions)}
# What comes before @main.
DEFINITIONS = {"matches": lambda n: "type List[A] {\n  Cons(A, List[A]),\n  Nil,\n}\n", "arms": constructors}
# Those that are only read and printed, with the size of the larger one.
TEXTS = {
    "signs": (VECTOR, 80_000, signs),
    "rows": (VECTOR, 2_000, rows),
    "let_values": (VECTOR, 16_000, lets),
    "let_functions": (VECTOR, 8_000, let_functions),
    "drawn_items": (VECTOR, 4_000, items),
    "drawn_branches": (VECTOR + ", %c: bool", 1_200, branches),
    "returned_tuples": (VECTOR, 8_000, tuples),
}


def nested_ifs(n):
    """An If whose graph is an If whose graph is an If, and so on; each takes the same values from outside."""
    lines = ["input c bool -", "output y0 float 4"]
    for i in reversed(range(n)):
        inner = f"node If c -> y{i + 1} then_branch=&g{i + 1} else_branch=&e{i + 1}" if i + 1 < n else f"node Exp v0 -> y{i + 1}"
        lines += [f"graph e{i} -> z{i}:float:4", f"node Neg v0 -> z{i}", "end", f"graph g{i} -> y{i + 1}:float:4", inner, "end"]
    return [*lines, "node If c -> y0 then_branch=&g0 else_branch=&e0"]


def ifs(n):
    """An If after another one, each with graphs of a node."""
    lines = ["input c bool -", f"output v{n}"]
    for i in range(n):
        lines += [f"graph e{i} -> z{i}:float:4", f"node Neg v{i} -> z{i}", "end", f"graph g{i} -> y{i}:float:4", f"node Exp v{i} -> y{i}", "end",
                  f"node If c -> v{i + 1} then_branch=&g{i} else_branch=&e{i}"]
    return lines


def ranges(n):
    """Ranges of different steps, whose attributes hold numbers."""
    each = "weight s{0} int64 - = {0}", "node Range zero c s{0} -> r{0}", "output r{0}"
    return ["input c int64 -", "weight zero int64 - = 0", *(line.format(i) for i in range(1, n + 1) for line in each)]


def inputs(n):
    """Many inputs."""
    each = "input x{0} float 4", "node Add v{0} x{0} -> v{1}"
    return [*(line.format(i, i + 1) for i in range(n) for line in each), f"output v{n}"]


def unreadable_names(n):
    """Inputs whose names are equal where each character that cannot be read back is replaced."""
    each = "input {0} float 4", "node Neg {0} -> y{1}", "output y{1}"
    names = (f"{i:07o}".translate(str.maketrans("01234567", "([{}]);'")) for i in range(n))
    return [line.format(name, i) for i, name in enumerate(names) for line in each]


def summands(n):
    """A sum of many values, which is as many nodes of one name where it is expanded."""
    return ["node Sum " + "v0 " * n + "-> y name=a", "output y"]


def local_functions(n):
    """Functions of the model, each called once."""
    each = "function f{0} a -> b", "node Neg a -> b", "end", "node local::f{0} v{0} -> v{1}"
    return ["opset 1 local", *(line.format(i, i + 1) for i in range(n) for line in each), f"output v{n}"]


def node_attributes(n):
    """A node of an unknown operator with many attributes."""
    return ["opset 1 any", "node any::F v0 -> y " + " ".join(f"k{i}={i}" for i in range(n)), "output y"]


def domains(n):
    """Nodes of many domains, each with a version of its own."""
    each = "opset {1} d{0}", "node d{0}::F v{0} -> v{1}"
    return [*(line.format(i, i + 1) for i in range(n) for line in each), f"output v{n}"]


def symbols(n):
    """Inputs with extents of different names."""
    each = "input x{0} float d{0}", "node Neg x{0} -> y{0}", "output y{0}"
    return [line.format(i) for i in range(n) for line in each]


def parts(n):
    """Parts of a shape, most of them empty."""
    rank = 60
    sizes = " ".join("1" if i < rank else "0" for i in range(n))
    names = [f"y{i}" for i in range(n)]
    return ["input x float " + ",".join(["a"] * rank), f"weight s int64 {n} = {sizes}", "node Shape x -> e",
            f"node Split e s -> {' '.join(names)}", *(f"output {name}" for name in names)]


def matrices(n):
    """Weights of one size and one diagonal that differ in the last row only."""
    each = "weight w{0} float 12,12 = " + "0 " * 142 + "{0} 0", "node MatMul x w{0} -> y{0}", "output y{0}"
    return ["input x float 2,12", *(line.format(i) for i in range(1, n + 1) for line in each)]


# ONNX models that are optimized, with the size of the larger one: nodes that share a name, outputs that are copies, graphs inside of
# graphs, and what is compared with all that is alike.
# Lines are those of lit-tests/onnx/Inputs/make.py.
MODELS = {
    "ranges": (2_000, ranges),
    "matrices": (800, matrices),
    "parts": (16_000, parts),
    "inputs": (8_000, inputs),
    "unreadable_names": (4_000, unreadable_names),
    "summands": (4_000, summands),
    "local_functions": (1_000, local_functions),
    "node_attributes": (4_000, node_attributes),
    "domains": (4_000, domains),
    "symbols": (2_000, symbols),
    "nested_ifs": (1_000, nested_ifs),
    "same_names": (4_000, lambda n: ["output v%d" % n] + ['node Mish v%d -> v%d name="a"' % (i, i + 1) for i in range(n)]),
    "copies": (4_000, lambda n: [line for i in range(n) for line in (f"node Identity v0 -> o{i}", f"output o{i}")]),
}


def tables(checker, n):
    """An option of a pass that is a JSON object with many keys."""
    rows = ", ".join(f'"c{i}": ["exp(*)"]' for i in range(n))
    return ["@" + checker.file(f"table-{n}.rsp", f"'--passes=MergeComposite<table={{{rows}}}>'"), checker.program("graph", 1)]


def archive(checker, n):
    """The path of an archive of many arrays."""
    path = os.path.join(checker.folder, f"arrays-{n}.npz")
    if os.path.exists(path):
        return path
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }".ljust(117) + "\n"
    with zipfile.ZipFile(path, "w") as file:
        for i in range(n):
            file.writestr(f"arr_{i}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + bytes(16))
    return path


def arrays(checker, n):
    """Many arguments by position."""
    return ["--run", "--inputs=" + archive(checker, n), checker.many_parameters(n)]


def safetensors(checker, n):
    """Many tensors in one file, which parameters are bound to."""
    entries = (f'"p{i}": {{"dtype": "F32", "shape": [4], "data_offsets": [{16 * i}, {16 * i + 16}]}}' for i in range(n))
    header = ("{" + ", ".join(entries) + "}").encode()
    path = checker.file(f"tensors-{n}.safetensors", struct.pack("<Q", len(header)) + header + bytes(16 * n))
    return ["--bind-params=" + path, checker.many_parameters(n)]


def extents(checker, n):
    """An extent for each symbol of a model."""
    return ["@" + checker.file(f"extents-{n}.rsp", "\n".join(f"--onnx-dim=d{i}=4" for i in range(n))), checker.model("symbols", n)]


def expanded_sum(checker, n):
    """Nodes that have the name of one node of the model."""
    return ["--onnx-expand", "--emit=onnx", checker.model("summands", n)]


def run_stores(checker, n):
    """The same for a tensor program."""
    return ["--run", "--inputs=" + archive(checker, n), checker.script("stores", n)]


def validated_stores(checker, n):
    """The same before and after a pass."""
    return ["--passes=tir.Simplify", "--validate=strict", "--inputs=" + archive(checker, n), checker.script("stores", n)]


# Runs, with the smaller size.
RUNS = {
    4_000: (tables, arrays, safetensors),
    2_000: (run_stores, validated_stores),
    1_000: (extents, expanded_sum),
}
# Programs of which reports are made.
REPORTED = ["closures"]
# How a text is written that is not printed, and a model that is not written as one.
WRITTEN_AS = {"rows": "--emit=onnx-text", "let_values": "--emit=onnx-text", "let_functions": "--emit=relax", "drawn_items": "--emit=dot",
              "drawn_branches": "--emit=svg", "returned_tuples": "--emit=onnx",
              "symbols": "--emit=relax"}
# Those that are read and printed with DEEP operators, and those with fewer: they are not deep, or their text is 700 MB.
DEEP_PROGRAMS = {**dict.fromkeys(("graph", "lets", "diamonds"), DEEP), **dict.fromkeys(("wide", "functions", "nested_functions"), DEEP // 10)}


def write_model(path, lines):
    """Writes an ONNX model, described by the lines after that of its first input, and returns its path."""
    with open(path + ".txt", "w") as file:
        file.write("".join(f"// onnx: {line}\n" for line in ["opset 18", "input v0 float 4", *lines]))
    subprocess.run([sys.executable, MAKE_MODEL, path + ".txt", path], check=True)
    return path


class Checker:
    def __init__(self, tool, scale, folder):
        self.tool, self.scale, self.folder, self.faults = tool, scale, folder, 0
        self.lock = threading.Lock()

    def fault(self, text):
        print(text)
        self.faults += 1

    def once(self, name, make):
        """The path of a file with the text that `make` returns. Several threads may ask for one file."""
        path = os.path.join(self.folder, name)
        with self.lock:
            if not os.path.exists(path):
                with open(path, "w") as file:
                    file.write(make())
        return path

    def script(self, shape, n):
        return self.once(f"{shape}-{n}.py", lambda: {**SCRIPTS, **SCRIPT_TEXTS}[shape][2](n))

    def file(self, name, content):
        """The path of a file with this text, or these bytes."""
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def many_parameters(self, n):
        """A program of many parameters."""
        params = ", ".join(f"%p{i}: Tensor[(4), float32]" for i in range(n))
        return self.file(f"many_parameters-{n}.relay", f'#[version = "0.0.5"]\ndef @main({params}) {{\n  (%p0, %p{n - 1})\n}}\n')

    def program(self, shape, n):
        parameters, _, make = {**PROGRAMS, **DEEPEST, **TEXTS}[shape]
        definitions = DEFINITIONS[shape](n) if shape in DEFINITIONS else ""
        return self.once(f"{shape}-{n}.relay", lambda: f'#[version = "0.0.5"]\n{definitions}def @main({parameters}) {{\n{make(n)}}}\n')

    def model(self, shape, n):
        path = os.path.join(self.folder, f"{shape}-{n}.onnx")
        return path if os.path.exists(path) else write_model(path, MODELS[shape][1](n))

    def run(self, *args):
        """The exit status and the user time of a run on the small stack."""
        process = subprocess.Popen([self.tool, "-o", "/dev/null", *args], stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: limit_stack(STACK_BYTES))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, used.ru_utime

    def instructions(self, *args):
        """The instructions of a run, or None, which is a fault."""
        count, why = instructions(self.tool, "-o", "/dev/null", *args)
        if count is None:
            self.fault(f"valgrind failed on {' '.join(args)}:\n" + why)
        return count

    def check_startup(self):
        count = self.instructions(self.program("graph", 1))
        print(f"start-up: {count} instructions")
        if count is not None and count > STARTUP_INSTRUCTIONS:
            self.fault(f"start-up: more than {STARTUP_INSTRUCTIONS} instructions")

    def check_deep(self):
        for shape, n in DEEP_PROGRAMS.items():
            status, seconds = self.run(self.program(shape, n))
            print(f"read, infer and print {shape} of {n}: {seconds:.2f} s")
            if status or seconds > DEEP_SECONDS:
                self.fault(f"read, infer and print {shape} of {n}: status {status}, {seconds:.2f} s")

    def check_files(self):
        """What a run of the tool takes on texts and models, with a report, and with the arguments of RUNS."""
        runs = [([WRITTEN_AS[shape]] if shape in WRITTEN_AS else [], shape) for shape in (*TEXTS, *SCRIPT_TEXTS)]
        runs += [(["-q", WRITTEN_AS.get(shape, "--emit=onnx")], shape) for shape in MODELS]
        report = "--report=" + os.path.join(self.folder, "report.html")
        runs += [(["--passes=FoldConstant", report], shape) for shape in REPORTED]
        lines = ["\t".join([*args, *self.files(shape)]) for args, shape in runs]
        lines += ["\t".join("@" + self.file(f"{make.__name__}-of-{n}.rsp", "\n".join(make(self, n))) for n in (size, RATIO * size))
                  for size, makers in RUNS.items() for make in makers]
        unit, costs = self.costs(["--tool"], lines, TOOL_STACK_BYTES)
        for line, cost in costs.items():
            *args, small, large = line.split("\t")
            if 0 in cost:
                self.fault(f"{' '.join(args)} fails on {os.path.basename(small)} or {os.path.basename(large)}")
            elif self.is_steep(unit, cost):
                counts = cost if unit == "instructions" else [self.instructions(*args, file) for file in (small, large)]
                if None not in counts and counts[1] > counts[0] * RATIO**EXPONENT:
                    self.fault(f"{' '.join(args)} on {os.path.basename(large)}: {counts[0]} and {counts[1]} instructions")

    def check_scripts(self):
        for shape, (_, size, _) in SCRIPTS.items():
            status, seconds = self.run(self.script(shape, size))
            print(f"read and print {shape} of {size}: {seconds:.2f} s")
            if status:
                self.fault(f"read and print {shape} of {size}: status {status}")

    def size_and_maker(self, shape):
        """The size of the larger program of a shape, and what writes one to a file."""
        if shape in MODELS:
            return MODELS[shape][0], self.model
        scripts = {**SCRIPTS, **SCRIPT_TEXTS}
        return (scripts[shape][0], self.script) if shape in scripts else ({**PROGRAMS, **TEXTS}[shape][1], self.program)

    def files(self, shape):
        """The smaller and the larger file of a shape."""
        size, make = self.size_and_maker(shape)
        return [make(shape, size // RATIO), make(shape, size)]

    def is_steep(self, unit, cost):
        """Whether what something costs, in this unit, grows so that it is a fault, or has to be counted."""
        few = FEW_INSTRUCTIONS if unit == "instructions" else SHORT_SECONDS * 1e9
        limit = RATIO ** (EXPONENT if unit == "instructions" else CLOCK_EXPONENT)
        return cost[1] > few and cost[1] > cost[0] * limit

    def countable(self, unit, costs):
        """The pipelines that look steep by the clock, and can be counted in a short time."""
        return [pipeline for pipeline, cost in costs.items()
                if unit != "instructions" and self.is_steep(unit, cost) and cost[1] < LONG_SECONDS * 1e9]

    def params(self):
        """A file of safetensors with a value for %x."""
        path = os.path.join(self.folder, "params.safetensors")
        header = b'{"x": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}'
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header + bytes(16))
        return path

    def costs(self, args, lines, stack=STACK_BYTES):
        """The unit, and what each line of the input of test/scale costs on the smaller and on the larger file; 0 where that fails."""
        costs, unit = {}, ""
        while rest := [line for line in lines if line not in costs]:
            try:
                done = subprocess.run([self.scale, *args], input="\n".join(rest), text=True, capture_output=True, check=False,
                                      timeout=HANG_SECONDS * len(rest), preexec_fn=lambda: limit_stack(stack))
                output, ending = done.stdout, f"status {done.returncode}"
            except subprocess.TimeoutExpired as error:
                output, ending = error.stdout.decode(), "no end"
            unit, *found = output.splitlines() or [unit]
            for each in found:
                small, large, line = each.split("\t", 2)
                costs[line] = (int(small), int(large))
            if len(found) < len(rest):
                self.fault(f"{rest[len(found)]} with {' '.join(args)}: {ending}")
                costs[rest[len(found)]] = (0, 0)
        return unit, costs

    def check_costs(self, shape, pipelines):
        """Which of the pipelines work on the shape. Faults are exponents that are too large."""
        size, _ = self.size_and_maker(shape)
        files = self.files(shape)
        unit, costs = self.costs(files, pipelines)
        # The clock is asked once more before anything is counted, which takes much longer.
        _, again = self.costs(files, self.countable(unit, costs))
        costs |= {pipeline: tuple(map(min, cost, costs[pipeline])) for pipeline, cost in again.items()}
        countable = self.countable(unit, costs)
        steep = {pipeline: cost for pipeline, cost in costs.items() if self.is_steep(unit, cost)}
        if countable:
            steep |= pipeline_instructions(self.scale, files, countable)
        for pipeline, (small, large) in steep.items():
            exponent = math.log(max(large, 1) / max(small, 1), RATIO)
            if exponent > EXPONENT and (pipeline not in countable or large > FEW_INSTRUCTIONS):
                counted = "instructions" if pipeline in countable else unit
                self.fault(f"{pipeline} on {shape} of {size // RATIO} and {size}: exponent {exponent:.2f}, {small} and {large} {counted}")
        return {pipeline for pipeline, cost in costs.items() if min(cost) > 0}

    def pass_names(self):
        """The passes and named pipelines by what runs them."""
        params = self.params()
        listed = subprocess.run([self.scale], capture_output=True, check=True, text=True).stdout.split()
        return {OPTIONS.get(name, name).replace("%s", params): name for name in listed}

    def check(self):
        names = self.pass_names()
        # Passes over one kind of functions do nothing to programs of the other.
        kinds = {shape: is_script for is_script, shapes in ((True, SCRIPTS), (False, PROGRAMS)) for shape in shapes}
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            checks = [pool.submit(check) for check in (self.check_startup, self.check_deep, self.check_files, self.check_scripts)]
            runs = [pool.submit(self.check_costs, shape, [text for text, name in names.items() if ("tir" in name) == is_script])
                    for shape, is_script in kinds.items()]
            for check in checks:
                check.result()
            working = set().union(*(run.result() for run in runs))
        for text, name in names.items():
            if text not in working:
                self.fault(f"{name} refuses every program")
        print(f"{len(names)} passes and pipelines on {len(PROGRAMS)} programs of Relay and {len(SCRIPTS)} of tensors")


def main():
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(sys.argv[1], sys.argv[2], folder)
        checker.check()
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
