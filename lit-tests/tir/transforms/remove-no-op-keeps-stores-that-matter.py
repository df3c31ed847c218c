# Stores stay that are read before they are overwritten, in this iteration or a later one, or that may not be overwritten.
# RUN: %relayopt --passes='tir.RemoveNoOp<use_dataflow_analysis=true>' %s | FileCheck %s
# RUN: %relayopt --passes='tir.RemoveNoOp<use_dataflow_analysis=true>' --validate --validate-edge --disable-output %s 2>&1 | FileCheck --check-prefix=VALID %s
# VALID: 0 mismatches, 0 unchanged, 0 not validated
from tvm.script import tir as T

@T.prim_func
def another_function(A: T.Buffer((1,), "int32")):
    A[0] = 1
    T.evaluate(T.call_extern("int32", "f", A.data))
    A[0] = 1
# CHECK-LABEL: def another_function
# CHECK: A[0] = 1
# CHECK: T.call_extern
# CHECK: A[0] = 1

@T.prim_func
def carried(A: T.Buffer((17,), "int32")):
    A[0] = 1
    for i in range(16):
        A[i + 1] = A[i]
# CHECK-LABEL: def carried
# CHECK: A[0] = 1
# CHECK: A[i + 1] = A[i]

@T.prim_func
def one_case_only(A: T.Buffer((1,), "int32"), n: T.int32):
    A[0] = 3
    if n < 5:
        A[0] = 1
# CHECK-LABEL: def one_case_only
# CHECK: A[0] = 3

@T.prim_func
def part(A: T.Buffer((16,), "int32")):
    for i in range(16):
        A[i] = 5
    for j in range(4):
        A[j] = 7
    for k in range(16):
        A[k] = 5
# CHECK-LABEL: def part
# CHECK: A[k] = 5

@T.prim_func
def perhaps_no_iteration(A: T.Buffer((16,), "int32"), n: T.int32):
    A[0] = 3
    for i in range(n):
        A[i] = 1
# CHECK-LABEL: def perhaps_no_iteration
# CHECK: A[0] = 3

@T.prim_func
def read_in_between(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
    for i in range(16):
        A[i] = 100
    for j in range(16):
        B[j] = A[15 - j]
        A[j] = 42
# CHECK-LABEL: def read_in_between
# CHECK: A[i] = 100
# CHECK: B[j] = A[15 - j]
