# With propagate_knowns_to_prove_conditional, what earlier stores and assumptions say of a buffer decides branches.
# RUN: %relayopt --passes='tir.Simplify<propagate_knowns_to_prove_conditional=true>' %s | FileCheck %s
# RUN: %relayopt --passes='tir.Simplify' %s | FileCheck %s --check-prefix=PLAIN
from tvm.script import tir as T

@T.prim_func
def loop(A: T.Buffer((16,), "int32")):
    for i in range(16):
        A[i] = 5
    for i in range(16):
        if A[i] == 5:
            A[i] = 42
# CHECK-LABEL: def loop
# CHECK-NOT: if
# CHECK: A[i] = 42
# PLAIN-LABEL: def loop
# PLAIN: if A[i] == 5:

@T.prim_func
def part(A: T.Buffer((16,), "int32")):
    for i in range(16):
        T.evaluate(T.assume(14 <= i or A[i] == 0))
    for i in range(16):
        if i < 14:
            if A[i] == 0:
                A[i] = 42
        else:
            if A[i] == 0:
                A[i] = 43
# CHECK-LABEL: def part
# CHECK: if i < 14:
# CHECK-NEXT: A[i] = 42
# CHECK: if A[i] == 0:
# CHECK-NEXT: A[i] = 43

@T.prim_func
def unknown(A: T.Buffer((16,), "int32"), n: T.int32):
    for i in range(16):
        A[i] = 5
    A[n] = 6
    for i in range(16):
        if A[i] == 5:
            A[i] = 42
# CHECK-LABEL: def unknown
# CHECK: if A[i] == 5:
