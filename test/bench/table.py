#!/usr/bin/env python3
"""What relayopt costs, in one table: table.py RELAYOPT [--json=F] [--svg=F] [--markdown=F] [--only=TEXT] [--quick].

Instructions are counted by valgrind at two sizes: their difference is the cost of an operator, the logarithm of their ratio the exponent.
Times are processor times of the best of three runs. Other tools measure in the same run, where they are installed: `opt` and `mlir-opt` on
the same chain of additions, and the optimizers of ONNX models (of this Python) on the same model.
"""
import argparse
import concurrent.futures
import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

from measure import instructions, pipeline_instructions, usage

import check_scale

HERE = os.path.dirname(os.path.abspath(__file__))
NETWORKS = os.path.join(os.path.dirname(HERE), "networks")


def thousand_functions(n):
    """A thousand operators in functions of ten."""
    body = "".join(f"let %v{i} = exp({'%x' if i == 0 else f'%v{i - 1}'}); " for i in range(9)) + "exp(%v8)"
    return "  %x\n}\n" + "".join(f"def @f{i}(%x: Tensor[(4), float32]) {{ {body} }}\n" for i in range(n // 10)) + \
        "def @last(%x: Tensor[(4), float32]) {\n  %x\n"


def closures(n):
    """Closures one after the other, each called with what the one before it returned."""
    each = ("  let %f{0} = fn (%a{0}: Tensor[(4), float32]) -> Tensor[(4), float32] {{\n    add(%x, %a{0})\n  }};\n"
            "  let %v{0} = %f{0}({1});\n")
    return "".join(each.format(i, "%x" if i == 0 else f"%v{i - 1}") for i in range(n // 2)) + f"  %v{n // 2 - 1}\n"


# The programs on which passes are measured: parameters of @main, and what makes the body of n operators.
SHAPES = {
    "chain": (check_scale.VECTOR, check_scale.graph),
    "let chain": (check_scale.VECTOR, check_scale.lets),
    "wide": (check_scale.VECTOR, check_scale.wide),
    "closures": (check_scale.VECTOR, closures),
    "functions": (check_scale.VECTOR, thousand_functions),
    "network": (check_scale.PROGRAMS["convolutions"][0], check_scale.convolutions),
}


def additions(n, form):
    """A chain of n float additions as Relay, LLVM IR or MLIR."""
    if form == "relay":
        lines = "".join(f"  %{i} = add({'%x' if i == 0 else f'%{i - 1}'}, %x);\n" for i in range(n))
        return f'#[version = "0.0.5"]\ndef @main(%x: float32) {{\n{lines}  %{n - 1}\n}}\n'
    if form == "ll":
        lines = "".join(f"  %v{i + 1} = fadd float %v{i}, %v0\n" for i in range(n))
        return f"define float @main(float %v0) {{\n{lines}  ret float %v{n}\n}}\n"
    lines = "".join(f"    %v{i + 1} = arith.addf %v{i}, %v0 : f32\n" for i in range(n))
    return f"func.func @main(%v0: f32) -> f32 {{\n{lines}    return %v{n} : f32\n}}\n"


class Table:
    """Measures everything and keeps rows: (section, name, figures by column)."""

    def __init__(self, tool, folder, only, quick):
        self.tool, self.folder, self.only, self.quick, self.rows = tool, folder, only, quick, []

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def program(self, shape, n):
        parameters, make = SHAPES[shape]
        return self.file(f"{shape.replace(' ', '_')}-{n}.relay", f'#[version = "0.0.5"]\ndef @main({parameters}) {{\n{make(n)}}}\n')

    def wants(self, name):
        return self.only in name

    def add(self, section, name, **figures):
        self.rows.append((section, name, figures))
        print(f"{section:12} {name:40} " + "  ".join(f"{key} {shown(value)}" for key, value in figures.items()), flush=True)

    def count(self, *args):
        return instructions(self.tool, "-o", "/dev/null", *args)[0]

    def startup(self):
        self.add("start-up", "one operator", instructions=self.count(self.program("chain", 1)))

    def texts(self):
        """Reading, checking, verifying and printing of each shape."""
        n = 5_000 if self.quick else 100_000
        for shape in SHAPES:
            small, large = self.program(shape, 1_000), self.program(shape, 2_000)
            cost = self.count(large) - self.count(small)
            both = usage(self.tool, "-o", "/dev/null", self.program(shape, n))
            half = usage(self.tool, "-o", "/dev/null", self.program(shape, n // 2))
            read = usage(self.tool, "--check-only", self.program(shape, n))
            if None in (both, half, read):
                continue
            # A process that Python starts has at least Python's own peak, so small programs seem to need nothing.
            megabytes = os.path.getsize(self.program(shape, n)) / 1e6
            self.add("text", shape, instructions_per_op=cost / 1_000, read_mb_per_s=megabytes / max(read[0], 1e-3),
                     read_and_print_mb_per_s=megabytes / max(both[0], 1e-3), bytes_per_op=(both[1] - half[1]) / (n - n // 2))

    def passes(self):
        """Every pass on every shape, with the options of the scale test, without reading and printing."""
        listed = json.loads(subprocess.run([self.tool, "--list-passes=json"], capture_output=True, check=True).stdout)
        names = [row["name"] for row in listed if not row["name"].startswith("tir.")] + [f"default<O{level}>" for level in range(4)]
        pipelines = {check_scale.OPTIONS.get(name, name): name for name in names if self.wants(name)}
        scale = os.path.join(os.path.dirname(self.tool), "relayopt_scale")
        sizes = (500, 1_000) if self.quick else (1_000, 2_000)
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            counted = pool.map(lambda shape: pipeline_instructions(scale, [self.program(shape, n) for n in sizes], list(pipelines)), SHAPES)
        for shape, costs in zip(SHAPES, counted):
            for pipeline, (small, large) in costs.items():
                if small and large:
                    self.add("pass", f"{pipelines[pipeline]} on {shape}", instructions_per_op=(large - small) / (sizes[1] - sizes[0]),
                             exponent=math.log2(large / small) if large > 100_000 else 1.0)

    def networks(self):
        for name in sorted(os.listdir(NETWORKS)):
            path = os.path.join(NETWORKS, name)
            if not name.endswith(".relay") or not self.wants(name):
                continue
            used = usage(self.tool, "-o", "/dev/null", "-O3", "--bind-params=random", path)
            if used:
                self.add("network", f"-O3 of {name}", seconds=used[0], megabytes=used[1] / 1e6)

    def formats(self):
        """TVMScript, ONNX and constants in and out."""
        script = self.file("script.py", check_scale.statements(20_000 if self.quick else 200_000))
        used = usage(self.tool, "-o", "/dev/null", script)
        self.add("format", "TVMScript, read and printed", mb_per_s=os.path.getsize(script) / 1e6 / used[0])
        n = 2_000 if self.quick else 20_000
        model = os.path.join(self.folder, "model.onnx")
        subprocess.run([self.tool, "-q", self.program("chain", n), "-o", model], check=True)
        out = os.path.join(self.folder, "out.onnx")
        used = usage(self.tool, "-q", model, "-o", out)
        self.add("format", "ONNX, read and written", microseconds_per_node=used[0] / n * 1e6)
        used = usage(self.tool, "-q", model, "--passes=default<onnx>", "-o", out, rounds=1)
        self.add("format", "ONNX, default<onnx>", microseconds_per_node=used[0] / n * 1e6)
        size = 1 << (20 if self.quick else 24)
        tensor = f"Tensor[({size // 256}, 256), float32]"
        large = self.file("constants.relay", f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(1, 256), float32], %w: {tensor}) {{\n'
                          f"  nn.dense(%x, %w, units={size // 256})\n}}\n")
        bound = os.path.join(self.folder, "bound.onnx")
        subprocess.run([self.tool, "-q", "-w", large, "--bind-params=random", "-o", bound], check=True)
        used = usage(self.tool, "-q", bound, "-o", out)
        self.add("format", "constants of ONNX, read and written", mb_per_s=4 * size / 1e6 / used[0])

    def rivals(self):
        """The same chain through other optimizers' readers, verifiers and printers; the same model through those of ONNX."""
        n = 30_000 if self.quick else 300_000
        runs = {"relayopt": [self.tool, "-o", "/dev/null", self.file(f"adds-{n}.relay", additions(n, "relay"))]}
        for tool, form, args in (("opt", "ll", ["-S", "--passes=verify", "-o", "/dev/null"]), ("mlir-opt", "mlir", ["-o", "/dev/null"])):
            found = next((path for path in (shutil.which(f"{tool}-{version}") for version in range(25, 13, -1)) if path), None)
            if found:
                runs[os.path.basename(found)] = [found, *args, self.file(f"adds-{n}.{form}", additions(n, form))]
        own = None
        for name, command in runs.items():
            used = usage(*command)
            if used:
                own = own or used
                self.add("beside", f"{n} additions: {name}", seconds=used[0], bytes_per_op=used[1] / n, ratio=used[0] / own[0])
        self.onnx_rivals()

    def onnx_rivals(self):
        model = os.path.join(self.folder, "rival.onnx")
        subprocess.run([self.tool, "-q", "-w", self.program("network", 2_000), "--bind-params=random", "-o", model], check=True)
        out = os.path.join(self.folder, "out.onnx")
        scripts = {
            "onnxsim": f"import onnx, onnxsim; onnx.save(onnxsim.simplify({model!r})[0], {out!r})",
            "onnxslim": f"import onnxslim; onnxslim.slim({model!r}, {out!r})",
            "onnxruntime": "import onnxruntime as o; s = o.SessionOptions(); s.intra_op_num_threads = 1; "
                           f"s.optimized_model_filepath = {out!r}; o.InferenceSession({model!r}, s, providers=['CPUExecutionProvider'])",
        }
        runs = {"relayopt": [self.tool, "-q", model, "--passes=default<onnx>", "-o", out]}
        runs |= {name: [sys.executable, "-c", script] for name, script in scripts.items() if importlib.util.find_spec(name)}
        own = None
        for name, command in runs.items():
            used = usage(*command, rounds=1)
            if used:
                own = own or used[0]
                self.add("beside", f"2000 nodes of ONNX: {name}", seconds=used[0], megabytes=used[1] / 1e6, ratio=used[0] / own)


def shown(value):
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def markdown(rows):
    """The rows as tables, one for each section; of passes only the dearest on each shape."""
    lines = []
    for section in dict.fromkeys(row[0] for row in rows):
        of_section = [row for row in rows if row[0] == section]
        if section == "pass":
            of_section = sorted(of_section, key=lambda row: -row[2]["instructions_per_op"])[:40]
        columns = list(dict.fromkeys(key for row in of_section for key in row[2]))
        lines += [f"| {section} | " + " | ".join(column.replace("_", " ") for column in columns) + " |", "|---" * (len(columns) + 1) + "|"]
        lines += [f"| {name} | " + " | ".join(shown(figures.get(column)) for column in columns) + " |" for _, name, figures in of_section]
        lines.append("")
    return "\n".join(lines)


def svg(rows):
    """A plot of the ratios beside other tools, on a logarithmic axis."""
    bars = [(name, figures["ratio"]) for section, name, figures in rows if section == "beside"]
    height, scale = 24 * len(bars) + 40, 160
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{height}" font-family="sans-serif" font-size="12">',
             '<text x="10" y="18">processor time, as a multiple of relayopt\'s (logarithmic)</text>']
    for i, (name, ratio) in enumerate(bars):
        y, width = 30 + 24 * i, 4 + scale * max(math.log10(max(ratio, 1)), 0)
        colour = "#2b6cb0" if name.endswith("relayopt") else "#a0aec0"
        parts.append(f'<text x="10" y="{y + 13}">{name}</text><rect x="270" y="{y}" width="{width:.1f}" height="16" fill="{colour}"/>'
                     f'<text x="{278 + width:.1f}" y="{y + 13}">{ratio:.1f}</text>')
    return "\n".join(parts) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    for flag in ("json", "svg", "markdown", "only"):
        parser.add_argument("--" + flag, default="")
    parser.add_argument("--sections", default="startup,texts,formats,networks,rivals,passes")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = Table(options.tool, folder, options.only, options.quick)
        for section in options.sections.split(","):
            getattr(table, section)()
    rows = table.rows
    texts = {options.json: json.dumps([{"section": s, "name": n, **f} for s, n, f in rows], indent=1) + "\n",
             options.svg: svg(rows), options.markdown: markdown(rows)}
    for path, text in texts.items():
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)


if __name__ == "__main__":
    main()
