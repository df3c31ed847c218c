#!/usr/bin/env python3
"""What the package costs, beside its goals: one line a figure. Processor time, the best of several runs."""

import os
import subprocess
import sys
import tempfile
import time

sys.setrecursionlimit(10**7)


def best(function, times=5, each=1):
    """Seconds of processor time of one call, the best of `times` rounds of `each` calls."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        for _ in range(each):
            function()
        found.append((time.process_time() - begin) / each)
    return min(found)


def import_time():
    """Seconds that `import relayopt` adds to the start of the interpreter, once modules are compiled, as in a package that
    was installed."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def run(code):
            code += "; import time; print(time.process_time())"
            return min(float(subprocess.check_output([sys.executable, "-c", code], env=environment)) for _ in range(5))

        return run("import relayopt") - run("pass")


def chain(length):
    """A function of `length` calls, each on the one before."""
    from relayopt import relay

    x = relay.var("x", shape=(2,))
    y = x
    for _ in range(length):
        y = relay.negative(y)
    return relay.Function([x], y)


def memory():
    """Bytes for each node of a chain of 10^6, of graph and table: of a graph that Python built, where every node has had a
    wrapper, and of one that was made of its table."""
    code = """
import ctypes, gc, os
import relayopt
from relayopt import _core, relay

def used():
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

count = 10**6
x = relay.var("x", shape=(2,))
y = relay.negative(x)
begin = used()
for _ in range(count):
    y = relay.negative(y)
built = used() - begin
mod = relayopt.IRModule({"main": relay.Function([x], y)})
begin = used()
_core.verify_core(mod)
table = used() - begin
typed = relay.transform.InferType()(mod)
del mod, x, y
begin = used()
body = typed["main"].body
print((built + table) / count, (used() - begin + table) / count)
"""
    return [float(word) for word in subprocess.check_output([sys.executable, "-c", code]).split()]


def main():
    import relayopt
    from relayopt import relay, transform

    # Networks stand with the tests.
    relay.__path__.append(os.path.join(os.path.dirname(__file__), "..", "..", "test", "tvm", "relay"))
    from relayopt.relay.testing import resnet

    rows = [("import relayopt", 0.060, import_time())]
    x, w = relay.var("x", shape=(1, 64, 56, 56)), relay.var("w", shape=(64, 64, 3, 3))
    rows.append(("relay.add(x, y)", 1.2e-6, best(lambda: relay.add(x, x), each=20000)))
    rows.append(("relay.nn.conv2d with five keywords", 4e-6, best(
        lambda: relay.nn.conv2d(x, w, strides=(1, 1), padding=(1, 1), groups=1, channels=64, kernel_size=(3, 3)), each=5000)))
    rows.append(("ResNet-50 by builders", 5e-3, best(lambda: resnet.get_net(1, 1000, 50, (3, 224, 224)))))

    count = 10**6
    function = chain(count)
    rows.append(("walk(expr), a million nodes", 0.5, best(lambda: relay.analysis.walk(function), 3)))
    small = chain(10**5)
    rows.append(("ExprVisitor, a million nodes (ten times 10^5)", 2.0, 10 * best(lambda: relay.ExprVisitor().visit(small), 3)))
    rows.append(("ExprMutator, the same", 3.0, 10 * best(lambda: relay.ExprMutator().visit(small), 3)))

    mod = relayopt.IRModule.from_expr(function)
    begin = time.process_time()
    relayopt._core.verify_core(mod)
    rows.append(("table of a million nodes", 0.15, time.process_time() - begin))
    begin = time.process_time()
    empty = transform.module_pass(lambda mod, ctx: mod, opt_level=0, name="Empty")
    typed = relay.transform.InferType()(mod)
    rows.append(("their types", None, time.process_time() - begin))
    rows.append(("an empty pass on a million nodes", 1e-3, best(lambda: empty(typed), 5)))
    begin = time.process_time()
    typed["main"].body
    rows.append(("graph of a million nodes", 0.3, time.process_time() - begin))
    rows.append(('mod["main"]', 0.3e-6, best(lambda: typed["main"], each=50000)))

    @relayopt.ir.instrument.pass_instrument
    class Five:
        def enter_pass_ctx(self):
            pass

        def exit_pass_ctx(self):
            pass

        def should_run(self, mod, info):
            return True

        def run_before_pass(self, mod, info):
            pass

        def run_after_pass(self, mod, info):
            pass

    tiny = relayopt.IRModule.from_expr(chain(1))
    bare = best(lambda: empty(tiny), each=2000)
    with transform.PassContext(instruments=[Five()]):
        rows.append(("an instrument with five callbacks, a pass", 5e-6, best(lambda: empty(tiny), each=2000) - bare))

    from relayopt.relay.dataflow_pattern import DFPatternCallback, is_op, wildcard

    class Rule(DFPatternCallback):
        def __init__(self):
            super().__init__(rewrite_once=True)
            self.x = wildcard()
            self.pattern = is_op("negative")(self.x)

        def callback(self, pre, post, node_map):
            return relay.abs(node_map[self.x][0])

    rows.append(("DFPatternCallback, 10^5 matches", 1.0, best(lambda: Rule().rewrite(small), 1)))
    for name, goal, seconds in rows:
        unit, scale = ("us", 1e6) if seconds < 1e-3 else ("ms", 1e3)
        wanted = "" if goal is None else f"   goal {goal * scale:.4g} {unit}{'' if seconds <= goal else '   MISSED'}"
        print(f"{name:48} {seconds * scale:9.3f} {unit}{wanted}")
    built, made = memory()
    for name, goal, size in (("memory of a node in graph and table", 250, made), ("the same where Python built it", 350, built)):
        print(f"{name:48} {size:9.0f} B    goal {goal} B{'' if size <= goal else '   MISSED'}")


if __name__ == "__main__":
    main()
