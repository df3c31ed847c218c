# What a function outside does is unknown, but it is called with the same values in the same order.
# RUN: %relayopt --validate --passes=tir.LowerTVMBuiltin --disable-output %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32"), n: T.int32):
    T.func_attr({"target": T.target("llvm")})
    for i in range(4):
        A[i] = T.Cast("float32", i)
        T.call_packed("outside.function", A.data, i + n, "text", A[i])
# CHECK: validate: 1 pass: 1 ok (1 bit-exact), 0 mismatches, 0 unchanged, 0 not validated
