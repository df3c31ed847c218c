# A statement in the class of a module, or outside of it, is an error.
# RUN: %relayopt --verify-diagnostics %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"runtime": 1})
    T.evaluate(0)  # expected-error {{this needs a Python interpreter: the statement T.evaluate outside of a function}}

    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        T.evaluate(0)
