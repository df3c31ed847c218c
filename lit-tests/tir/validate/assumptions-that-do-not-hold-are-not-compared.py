# What follows an assumption that does not hold is undefined; one that holds is relied on.
# RUN: %relayopt --passes='tir.RemoveNoOp<use_dataflow_analysis=true>' --func=wrong --validate --disable-output %s 2>&1 | FileCheck %s --check-prefix=WRONG
# RUN: %relayopt --passes='tir.RemoveNoOp<use_dataflow_analysis=true>' --func=right --validate --disable-output %s 2>&1 | FileCheck %s --check-prefix=RIGHT
from tvm.script import tir as T

@T.prim_func
def right(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        A[i] = 7
        T.evaluate(T.assume(A[i] * A[i] == 49))
    for j in range(4):
        A[j] = 7
        B[j] = A[j]

@T.prim_func
def wrong(A: T.Buffer((4,), "int32")):
    for i in range(4):
        T.evaluate(T.assume(A[i] == 12345))
    for j in range(4):
        A[j] = 12345
# WRONG: 0 mismatches, {{.*}} not validated (an assumption does not hold)
# RIGHT: 1 ok (1 bit-exact), 0 mismatches, 0 unchanged, 0 not validated
