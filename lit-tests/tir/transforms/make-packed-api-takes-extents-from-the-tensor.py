# The first mention of an extent defines it, the second one is checked.
# RUN: %relayopt --passes=tir.MakePackedAPI %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, b: T.handle):
    T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
    n = T.int32()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    B[0] = A[0]
# CHECK: n: T.int32 = T.Cast("int32", main_a_shape_1[0])
# CHECK: assert n == T.Cast("int32", main_b_shape_1[0]), "Argument main.b.shape[0] has an unsatisfied constraint: n == T.Cast(\"int32\", main_b_shape[0])"
