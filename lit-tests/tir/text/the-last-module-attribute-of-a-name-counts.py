# Of several attributes of a module with one name the last one counts, at the place of the first, as in a dictionary of Python.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # CHECK: I.module_attrs({"a": 3, "b": 2})
    I.module_attrs({"a": 1, "b": 2, "a": 3})

    @T.prim_func
    def main():
        T.evaluate(0)
