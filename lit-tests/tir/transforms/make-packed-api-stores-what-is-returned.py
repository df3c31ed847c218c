# The caller gets the value in 64 bits, and its code.
# RUN: %relayopt --passes=tir.MakePackedAPI %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32) -> T.int32:
    T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
    T.ret(n + 1)
# CHECK: out_ret_value_1[0] = T.Cast("int64", n + 1)
# CHECK: out_ret_tcode_1[0] = 0
# CHECK: T.ret(0)
