#!/usr/bin/env python3
"""Checks what relayopt costs: check_scale.py RELAYOPT.

Start-up: on a program of one line, instructions (counted by valgrind, so the figure does not depend on the machine).
Reading and printing: a million operators deep, on a stack of 256 KiB.
Every pass: programs of SIZE and 2 * SIZE operators, on the same small stack. Double the size may take at most SLOPE times the
time; a quadratic pass takes four times as long. A pass that refuses a program with a message is left out.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

STARTUP_INSTRUCTIONS = 5_000_000
STACK_BYTES = 256 * 1024
DEEP = 1_000_000
SIZE = 10_000
SLOPE = 3.0
# Below this the clock says nothing about the slope.
SHORT_SECONDS = 0.08


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


def functions(n):
    """Small functions that call one: no pass may look at the whole module for each. The text goes on after @main's body."""
    head = "  @callee(%x)\n}\ndef @callee(%x: Tensor[(4), float32]) -> Tensor[(4), float32] { %x }\n"
    each = "def @f{}(%x: Tensor[(4), float32]) {{ let %a = exp(%x); @callee(%a) }}\n"
    return head + "".join(each.format(i) for i in range(n)) + "def @last(%x: Tensor[(4), float32]) {\n  %x\n"


PROGRAMS = {"graph": graph, "lets": lets, "diamonds": diamonds, "wide": wide, "functions": functions}


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK_BYTES, resource.RLIM_INFINITY))


class Checker:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.faults = tool, folder, 0

    def fault(self, text):
        print(text)
        self.faults += 1

    def program(self, shape, n):
        path = os.path.join(self.folder, f"{shape}-{n}.relay")
        if not os.path.exists(path):
            with open(path, "w") as file:
                file.write('#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) {\n' + PROGRAMS[shape](n) + "}\n")
        return path

    def run(self, *args):
        """The exit status and the user time of a run on the small stack."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        status = subprocess.run([self.tool, "-o", "/dev/null", *args], stderr=subprocess.DEVNULL, preexec_fn=small_stack,
                                check=False).returncode
        return status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def check_startup(self):
        done = subprocess.run(
            ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", self.tool, "-o", "/dev/null",
             self.program("graph", 1)], capture_output=True, text=True, check=False)
        lines = [line for line in done.stderr.splitlines() if "I   refs:" in line or "I refs:" in line]
        if done.returncode or not lines:
            self.fault("start-up: valgrind failed:\n" + done.stderr)
            return
        count = int(lines[0].split(":")[1].replace(",", ""))
        print(f"start-up: {count} instructions")
        if count > STARTUP_INSTRUCTIONS:
            self.fault(f"start-up: more than {STARTUP_INSTRUCTIONS} instructions")

    def check_deep(self):
        for shape in PROGRAMS:
            status, seconds = self.run(self.program(shape, DEEP))
            print(f"read, infer and print {shape} of {DEEP}: {seconds:.2f} s")
            if status:
                self.fault(f"read, infer and print {shape} of {DEEP}: status {status}")

    def check_slope(self, name, shape):
        args = ["--passes=" + name, "--opt-level=4"]
        for attempt in range(3):
            times = []
            for n in (SIZE, 2 * SIZE):
                status, seconds = self.run(*args, self.program(shape, n))
                if status == 1:
                    return
                if status:
                    self.fault(f"{name} on {shape} of {n}: status {status}")
                    return
                times.append(seconds)
            if times[1] < SHORT_SECONDS or times[1] <= SLOPE * times[0]:
                return
        self.fault(f"{name} on {shape}: {times[0]:.2f} s for {SIZE} operators, {times[1]:.2f} s for {2 * SIZE}")

    def check_passes(self):
        listed = subprocess.run([self.tool, "--list-passes=json"], capture_output=True, check=True).stdout
        names = [row["name"] for row in json.loads(listed)]
        for name in names:
            for shape in PROGRAMS:
                self.check_slope(name, shape)
        print(f"{len(names)} passes on {len(PROGRAMS)} programs")


def main():
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(sys.argv[1], folder)
        checker.check_startup()
        checker.check_deep()
        checker.check_passes()
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
