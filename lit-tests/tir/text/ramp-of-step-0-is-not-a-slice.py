# A slice of step 0 has no elements, so such an index prints as what it is.
# RUN: %relayopt %s | FileCheck %s
# RUN: %relayopt %s | %relayopt - | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    B[0:4] = A[T.Ramp(2, 0, 4)]
# CHECK: B[0:4] = A[T.Ramp(2, 0, 4)]
