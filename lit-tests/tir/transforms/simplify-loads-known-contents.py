# With propagate_knowns_to_simplify_expressions, loads of elements that are known become their values.
# RUN: %relayopt --passes='tir.Simplify<propagate_knowns_to_simplify_expressions=true>' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def branches(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
    for i in range(16):
        if i < 3:
            A[i] = 1
        else:
            A[i] = 2
    B[0] = A[2]
    B[1] = A[3]
# CHECK-LABEL: def branches
# CHECK: B[0] = 1
# CHECK-NEXT: B[1] = 2

@T.prim_func
def changed(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
    A[0] = 1
    for i in range(16):
        B[i] = A[0]
        A[0] = i
# CHECK-LABEL: def changed
# CHECK: B[i] = A[0]

@T.prim_func
def known(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
    for i in range(16):
        A[i] = i * 2
    for i in range(8):
        B[i] = A[i + 8] + 1
# CHECK-LABEL: def known
# CHECK: B[i] = i * 2 + 17

@T.prim_func
def of_another_iteration(A: T.Buffer((17,), "int32"), B: T.Buffer((17,), "int32")):
    for i in range(17):
        A[i] = 3
    for i in range(16):
        A[i + 1] = i
        B[i] = A[i]
# CHECK-LABEL: def of_another_iteration
# CHECK: B[i] = A[i]
