# A store whose element is overwritten before it is read goes, also through loops and branches that write in both cases.
# RUN: %relayopt --passes='tir.RemoveNoOp<use_dataflow_analysis=true>' %s | FileCheck %s
# RUN: %relayopt --passes='tir.RemoveNoOp<use_dataflow_analysis=true>' --validate --validate-edge --disable-output %s 2>&1 | FileCheck --check-prefix=VALID %s
# VALID: 0 mismatches, 0 unchanged, 0 not validated
from tvm.script import tir as T

@T.prim_func
def both_cases(A: T.Buffer((1,), "int32"), n: T.int32):
    A[0] = n
    if n < 5:
        A[0] = 1
    else:
        A[0] = 2
# CHECK-LABEL: def both_cases
# CHECK-NOT: A[0] = n
# CHECK: A[0] = 2

@T.prim_func
def loops(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
    for i in range(16):
        A[i] = 100
    for j in range(16):
        B[j] = j
    for k in range(16):
        A[k] = 42
# CHECK-LABEL: def loops
# CHECK-NOT: A[i] = 100
# CHECK: A[k] = 42

@T.prim_func
def of_two_equal_stores_one_stays(A: T.Buffer((1,), "int32")):
    A[0] = 5
    A[0] = 5
# CHECK-LABEL: def of_two_equal_stores_one_stays
# CHECK-COUNT-1: A[0] = 5
# CHECK-NOT: A[0] = 5
