# Nobody passes m.
# RUN: not %relayopt --passes=tir.MakePackedAPI %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
    m = T.int32()
    T.evaluate(n + m)
# CHECK: error: MakePackedAPI: the variables [m] of @main are used, and nothing defines or passes them
