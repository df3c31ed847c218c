# Functions of C and their names in LLVM and CUDA; others are errors when they are reached.
# RUN: %relayopt --run %s | FileCheck %s
# RUN: sed 's/if T.bool(False)/if T.bool(True)/' %s > %t.py
# RUN: not %relayopt --run %t.py 2>&1 | FileCheck %s --check-prefix=UNKNOWN
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    A[0] = T.call_pure_extern("float32", "expf", T.float32(0))
    A[1] = T.call_pure_extern("float32", "__powf", T.float32(2), T.float32(10))
    A[2] = T.call_pure_extern("float32", "fabsf", T.float32(-3))
    A[3] = T.float32(0)
    if T.bool(False):
        A[3] = T.call_extern("float32", "my_function", T.float32(0))
# CHECK: {{^}}A: [1, 1024, 3, 0]{{$}}
# UNKNOWN: error: a call of the external function 'my_function' cannot be evaluated [not-evaluated]
