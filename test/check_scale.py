#!/usr/bin/env python3
"""Checks what relayopt costs: check_scale.py RELAYOPT.

Start-up: on a program of one line, instructions (counted by valgrind, so the figure does not depend on the machine).
Reading and printing: a million operators deep, on a stack of 256 KiB.
Texts that only the reader, or a writer, could find long: double the size may take at most SLOPE times the instructions.
ONNX models: what optimizing takes grows with the size to the power of EXPONENT at most.
Tensor programs: modules of ten thousand functions and functions of a million statements are read and printed.
Every pipeline: what it takes beyond reading and printing, in instructions, grows with the size to the power of EXPONENT at most.
Every pass: programs of SIZE and 2 * SIZE operators, on the same small stack. Double the size may take at most SLOPE times the
instructions; a quadratic pass takes four times as many. Counting takes long, so that the clock chooses what is counted: what takes
less than SHORT_SECONDS for the larger one, or at most SLOPE times the time, is taken as good, and what takes more than LONG_SECONDS
besides is a fault without counting. A pass may refuse a program with a message only where MAY_REFUSE says so. Processor time is
measured, so that as many passes run at once as there are processors.
"""
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import tempfile

from bench.measure import instructions, limit_stack

STARTUP_INSTRUCTIONS = 5_000_000
STACK_BYTES = 256 * 1024
DEEP = 1_000_000
DEEP_SECONDS = 20.0
SIZE = 5_000
SLOPE = 3.0
MAKE_MODEL = os.path.join(os.path.dirname(__file__), "..", "lit-tests", "onnx", "Inputs", "make.py")
EXPONENT = 1.15
# Costs below this say nothing about the exponent.
FEW_INSTRUCTIONS = 2_000_000
# Below this the clock says nothing about the slope.
SHORT_SECONDS = 0.05
# Above this a slope is none of a busy machine, and counting would take minutes.
LONG_SECONDS = 5.0


def graph(n):
    """Graph bindings, each an operand of the next."""
    return "".join(f"  %{i} = add({'%x' if i == 0 else f'%{i - 1}'}, 1f);\n" for i in range(n)) + f"  %{n - 1}\n"


def lets(n):
    """A let chain."""
    return "".join(f"  let %v{i} = add({'%x' if i == 0 else f'%v{i - 1}'}, 1f);\n" for i in range(n)) + f"  %v{n - 1}\n"


def diamonds(n):
    """Every value is used twice: 2^n paths."""
    return "".join("  %{0} = multiply({1}, {1});\n".format(i, "%x" if i == 0 else f"%{i - 1}") for i in range(n)) + f"  %{n - 1}\n"


def wide(n):
    """Equal calls side by side, all in one tuple."""
    return "".join(f"  %{i} = nn.relu(%x);\n" for i in range(n)) + "  (" + ", ".join(f"%{i}" for i in range(n)) + ")\n"


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


def closures(n):
    """Functions inside functions, each of which uses what lies outside of it."""
    head = "".join(f"  let %f{i} = fn (%a{i}: Tensor[(4), float32]) -> Tensor[(4), float32] {{\n" for i in range(n))
    return head + "  add(%x, %a0)\n" + "".join(f"  }};\n  %f{i}(%x)\n" for i in reversed(range(n)))


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


def parameters(n):
    """Many parameters."""
    return SCRIPT + prim_func("main", ", ".join(f'A{i}: T.Buffer((8,), "float32")' for i in range(n)), "        A0[0] = A1[0]\n")


# The size of tensor programs for passes, that of those that are only read and printed, and what they are made by.
SCRIPTS = {
    "prim_funcs": (1_000, 10_000, prim_funcs),
    "statements": (4_000, 1_000_000, statements),
    "allocations": (2_000, 100_000, allocations),
    "tensor_blocks": (2_000, 100_000, tensor_blocks),
    "loop_nest": (1_000, 2_000, loop_nest),
    "choices": (1_000, 2_000, choices),
    "squares": (1_000, 2_000, squares),
    "let_terms": (1_000, 2_000, let_terms),
    "nested_lets": (1_000, 2_000, nested_lets),
    "products": (1_000, 2_000, products),
}

# Tensor programs whose texts only the reader, or the printer, could find long.
SCRIPT_TEXTS = {
    "views": (20_000, None, views),
    "parameters": (10_000, None, parameters),
}

VECTOR = "%x: Tensor[(4), float32]"
IMAGE = "%x: Tensor[(1, 4, 8, 8), float32]"
# The parameters of @main, the size if it is not SIZE, and what the program is made by.
PROGRAMS = {
    "graph": (VECTOR, SIZE, graph),
    "lets": (VECTOR, SIZE, lets),
    "diamonds": (VECTOR, SIZE, diamonds),
    "wide": (VECTOR, SIZE, wide),
    "functions": (VECTOR, SIZE, functions),
    "convolutions": (IMAGE + ", %w: Tensor[(4, 4, 3, 3), float32], %b: Tensor[(4), float32]", SIZE, convolutions),
    "quantized": (IMAGE, SIZE, quantized),
    "branches": (VECTOR + ", %c: bool", 2_000, branches),
    "closures": (VECTOR, 2_000, closures),
    "chain": (VECTOR, 2_000, chain),
    "doubling": (VECTOR, 1_000, doubling),
}
# Those that only named pipelines run on, beside the branches above.
NESTED = {
    "joined_branches": (VECTOR + ", %c: bool", 2_000, joined_branches),
    "matches": (VECTOR + ", %l: List[Tensor[(4), float32]]", 1_000, matches),
}
# Those that are only read and printed.
DEEPEST = {"nested_functions": (VECTOR, None, nested_functions)}
# What comes before @main.
DEFINITIONS = {"matches": "type List[A] {\n  Cons(A, List[A]),\n  Nil,\n}\n"}
# Named pipelines and combinations, which are long: counted at sizes of their own.
PIPELINES = ["AnnotateSpans", "fixpoint(FoldConstant)", "default<O3>", "default<O3;executor=vm>", "default<onnx>", "default<relax>",
             "AnnotateTarget<targets=dnnl>,MergeCompilerRegions,PartitionGraph"]
PIPELINE_SIZE = 300
# Those that are only read and printed, at two sizes.
TEXTS = {
    "signs": (VECTOR, 40_000, signs),
    "rows": (VECTOR, 1_000, rows),
}
def nested_ifs(n):
    """An If whose graph is an If whose graph is an If, and so on; each takes the same values from outside."""
    lines = ["input c bool -", "output y0 float 4"]
    for i in reversed(range(n)):
        inner = f"node If c -> y{i + 1} then_branch=&g{i + 1} else_branch=&e{i + 1}" if i + 1 < n else f"node Exp v0 -> y{i + 1}"
        lines += [f"graph e{i} -> z{i}:float:4", f"node Neg v0 -> z{i}", "end", f"graph g{i} -> y{i + 1}:float:4", inner, "end"]
    return [*lines, "node If c -> y0 then_branch=&g0 else_branch=&e0"]


# ONNX models that are optimized, at two sizes: nodes that share a name, outputs that are copies, and graphs inside of graphs.
# Lines are those of lit-tests/onnx/Inputs/make.py.
MODELS = {
    "nested_ifs": (1_000, nested_ifs),
    "same_names": (2_000, lambda n: ["output v%d" % n] + ['node Mish v%d -> v%d name="a"' % (i, i + 1) for i in range(n)]),
    "copies": (2_000, lambda n: [line for i in range(n) for line in (f"node Identity v0 -> o{i}", f"output o{i}")]),
}
# Programs of which reports are made.
REPORTED = ["closures"]
# How a text is written that is not printed.
WRITTEN_AS = {"rows": "--emit=onnx-text"}
# Those that are read and printed with DEEP operators, and a shape of its own with fewer: its text is 700 MB.
DEEP_PROGRAMS = {**dict.fromkeys(("graph", "lets", "diamonds", "wide", "functions"), DEEP), "nested_functions": DEEP // 10}

# Passes that may refuse a program with a message: all, or those of the shapes.
MAY_REFUSE = {
    # They need options.
    "AnnotateTarget": "all", "BindParams": "all", "CollagePartition": "all", "ConvertLayout": "all", "EtaExpand": "all", "MergeComposite": "all",
    "CombineFor": "all", "FlexibleShapeDispatch": "all", "LowerFor": "all", "SimplifyFCTranspose": "all", "SplitArgs": "all", "tir.Filter": "all",
    "tir.BindTarget": "all", "tir.InjectCopyIntrin": "all", "tir.LiftAttrScope": "all", "tir.RemapThreadAxis": "all",
    # They come behind those that take blocks apart, or attributes that say on which device memory is.
    "tir.CompactBufferAllocation": ("tensor_blocks",), "tir.LowerOpaqueBlock": ("tensor_blocks",),
    "tir.PointerValueTypeRewrite": ("tensor_blocks",), "tir.StorageRewrite": ("tensor_blocks",),
    "tir.LowerTVMBuiltin": ("allocations",),
    # It wants exactly one function for the host that has a global symbol.
    "tir.InstallDebugSpans": "all",
    # It takes back what ToCPS made.
    "UnCPS": "all",
    # Straight-line programs only.
    "FirstOrderGradient": ("lets", "functions", "quantized", "branches", "closures", "chain", "doubling"),
    # Not every operator has a gradient; the gradient of 2^n calls has a limit.
    "Gradient": ("quantized", "doubling"),
    # The weights are parameters.
    "Quantize": ("convolutions",),
}


class Checker:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.faults = tool, folder, 0

    def fault(self, text):
        print(text)
        self.faults += 1

    def script(self, shape, n):
        path = os.path.join(self.folder, f"{shape}-{n}.py")
        if not os.path.exists(path):
            with open(path, "w") as file:
                file.write({**SCRIPTS, **SCRIPT_TEXTS}[shape][2](n))
        return path

    def program(self, shape, n):
        path = os.path.join(self.folder, f"{shape}-{n}.relay")
        if not os.path.exists(path):
            with open(path, "w") as file:
                parameters, _, make = {**PROGRAMS, **NESTED, **DEEPEST, **TEXTS}[shape]
                file.write('#[version = "0.0.5"]\n' + DEFINITIONS.get(shape, "") + 'def @main(' + parameters + ") {\n" + make(n) + "}\n")
        return path

    def model(self, shape, n):
        path = os.path.join(self.folder, f"{shape}-{n}.onnx")
        if not os.path.exists(path):
            lines = ["opset 18", "input v0 float 4", *MODELS[shape][1](n)]
            with open(path + ".txt", "w") as file:
                file.write("".join(f"// onnx: {line}\n" for line in lines))
            subprocess.run([sys.executable, MAKE_MODEL, path + ".txt", path], check=True)
        return path

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

    def check_texts(self):
        for shape in [*TEXTS, *SCRIPT_TEXTS]:
            if not self.counts_are_linear([WRITTEN_AS[shape]] if shape in WRITTEN_AS else [], shape):
                self.fault(f"reading and writing {shape} takes more than {SLOPE} times the instructions for double the size")

    def check_models(self):
        for shape in MODELS:
            if not self.counts_are_linear(["-q", "--emit=onnx"], shape, 2**EXPONENT):
                self.fault(f"default<onnx> on {shape} has an exponent above {EXPONENT}")

    def check_reports(self):
        args = ["--passes=FoldConstant", "--disable-output", "--report=" + os.path.join(self.folder, "report.html")]
        for shape in REPORTED:
            if not self.counts_are_linear(args, shape):
                self.fault(f"a report of {shape} takes more than {SLOPE} times the instructions for double the size")

    def check_scripts(self):
        for shape, (_, size, _) in SCRIPTS.items():
            status, seconds = self.run(self.script(shape, size))
            print(f"read and print {shape} of {size}: {seconds:.2f} s")
            if status:
                self.fault(f"read and print {shape} of {size}: status {status}")

    def size_and_maker(self, shape):
        """The smaller size of programs of a shape, and what writes one to a file."""
        if shape in MODELS:
            return MODELS[shape][0], self.model
        scripts = {**SCRIPTS, **SCRIPT_TEXTS}
        return (scripts[shape][0], self.script) if shape in scripts else ({**PROGRAMS, **NESTED, **TEXTS}[shape][1], self.program)

    def check_slope(self, name, shape):
        # Not written: the indentation of what nests grows with the square of its depth, whatever the pass does.
        args = ["--passes=" + name, "--opt-level=4", "--disable-output"]
        size, make = self.size_and_maker(shape)
        times = {}
        for n in (2 * size, size):
            status, times[n] = self.run(*args, make(shape, n))
            if status == 1:
                self.refused(name, shape)
                return
            if status:
                self.fault(f"{name} on {shape} of {n}: status {status}")
                return
            if times[2 * size] < SHORT_SECONDS:
                return
        small, large = times[size], times[2 * size]
        if large <= SLOPE * small or (large < LONG_SECONDS and self.counts_are_linear(args, shape)):
            return
        self.fault(f"{name} on {shape}: {small:.2f} s for {size} operators, {large:.2f} s for {2 * size}")

    def counts_are_linear(self, args, shape, slope=SLOPE):
        """Whether double the size takes at most `slope` times the instructions."""
        size, make = self.size_and_maker(shape)
        counts = [self.instructions(*args, make(shape, n)) for n in (size, 2 * size)]
        return None not in counts and counts[1] <= slope * counts[0]

    def check_pipelines(self):
        for shape in ["branches", *NESTED]:
            _, make = self.size_and_maker(shape)
            files = [make(shape, n) for n in (PIPELINE_SIZE, 2 * PIPELINE_SIZE)]
            base = [self.instructions(path) for path in files]
            for name in PIPELINES:
                counts = [instructions(self.tool, "-o", "/dev/null", "-q", "--passes=" + name, path)[0] for path in files]
                if None in counts or None in base:
                    # Not every program has a form in every other system.
                    print(f"{name} refuses {shape}")
                    continue
                small, large = (max(count - without, 1) for count, without in zip(counts, base))
                exponent = math.log2(large / small)
                if large > FEW_INSTRUCTIONS and exponent > EXPONENT:
                    self.fault(f"{name} on {shape}: exponent {exponent:.2f}, {large} instructions for {2 * PIPELINE_SIZE} operators")
        print(f"{len(PIPELINES)} pipelines on programs that nest")

    def refused(self, name, shape):
        may = MAY_REFUSE.get(name)
        if may is None or (may != "all" and shape not in may):
            self.fault(f"{name} refuses {shape}")

    def check_passes(self):
        listed = subprocess.run([self.tool, "--list-passes=json"], capture_output=True, check=True).stdout
        names = [row["name"] for row in json.loads(listed)]
        for shape in [*SCRIPTS, *PROGRAMS]:
            size, make = self.size_and_maker(shape)
            make(shape, size)
            make(shape, 2 * size)
        # Passes over one kind of functions do nothing to programs of the other.
        runs = [(name, shape) for name in names for shape in ([*SCRIPTS, "graph"] if name.startswith("tir.") else PROGRAMS)]
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            for done in [pool.submit(self.check_slope, *run) for run in runs]:
                done.result()
        print(f"{len(names)} passes on {len(PROGRAMS)} programs of Relay and {len(SCRIPTS)} of tensors")


def main():
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(sys.argv[1], folder)
        checker.check_startup()
        checker.check_deep()
        checker.check_texts()
        checker.check_models()
        checker.check_reports()
        checker.check_scripts()
        checker.check_pipelines()
        checker.check_passes()
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
