# What an extent of 1 is broadcast from has the stride 0.
# RUN: not %relayopt --passes=tir.MakePackedAPI %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle):
    T.func_attr({"global_symbol": "main", "target": T.target("llvm", host="llvm")})
    A = T.match_buffer(a, (1, 4), strides=(5, 1), buffer_type="auto")
    A[0, 0] = T.float32(0)
# CHECK: error: the argument main.a.strides[0] can never satisfy T.bool(False) [bind-unmet]
