# A call with an effect is made for each lane, also where it does not depend on the lane, and so is memory that a call
# allocates. Pure calls are made once.
# RUN: %relayopt --passes=tir.VectorizeLoop --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def counts(A: T.Buffer((4,), "int32")):
    for i in T.vectorized(4):
        T.evaluate(T.call_extern("int32", "count", 1))

@T.prim_func
def numbers(A: T.Buffer((4,), "int32")):
    for i in T.vectorized(4):
        x: T.int32 = T.call_extern("int32", "next", 2)
        A[i] = x

@T.prim_func
def pure(A: T.Buffer((4,), "float32"), y: T.float32):
    for i in T.vectorized(4):
        A[i] = T.exp(y)
# CHECK: for i_s in range(4):
# CHECK-NEXT: T.call_extern("int32", "count", 1)
# CHECK: for i_s in range(4):
# CHECK-NEXT: x: T.int32 = T.call_extern("int32", "next", 2)
# CHECK-NEXT: A[i_s] = x
# CHECK: A[0:4] = T.Broadcast(T.exp(y), 4)
