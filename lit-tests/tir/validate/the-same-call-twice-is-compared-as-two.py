# What i unrolls to calls a function twice with one argument, as it did before.
# RUN: %relayopt --passes=tir.UnrollLoop --validate=each --disable-output %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32")):
    for i in T.unroll(2):
        B[i] = T.call_extern("int32", "deref", T.address_of(A[i])) + T.call_extern("int32", "deref", T.address_of(A[0]))
# CHECK: validate: {{.*}}: 1 ok
