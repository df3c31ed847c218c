# The product on the right is preferred; integers stay.
# RUN: %relayopt --passes=tir.LowerIntrin %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(x: T.float32, y: T.float32, i: T.int32):
    T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "llvm", "tag": ""})})
    T.evaluate(x * y + x)
    T.evaluate(x * y + y * x)
    T.evaluate(i * i + i)
# CHECK: T.call_llvm_pure_intrin("float32", "llvm.fmuladd", T.uint32(3), x, y, x)
# CHECK: T.call_llvm_pure_intrin("float32", "llvm.fmuladd", T.uint32(3), y, x, x * y)
# CHECK: T.evaluate(i * i + i)
