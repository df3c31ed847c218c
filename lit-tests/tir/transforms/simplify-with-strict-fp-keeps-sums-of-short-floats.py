# With --strict-fp a zero is added, also of bfloat16 and of 8-bit floats: -0 + 0 is 0. By default it is not.
# RUN: %relayopt --passes=tir.Simplify --strict-fp %s | FileCheck %s
# RUN: %relayopt --passes=tir.Simplify %s | FileCheck --check-prefix=FAST %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "bfloat16"), B: T.Buffer((8,), "e4m3_float8")):
    A[0:2] = A[2:4] + T.Broadcast(T.bfloat16(0), 2)
    B[0:2] = B[2:4] + T.Broadcast(T.e4m3_float8(0), 2)
# CHECK: A[0:2] = A[2:4] + T.Broadcast(T.bfloat16(0), 2)
# CHECK: B[0:2] = B[2:4] + T.Broadcast(T.e4m3_float8(0), 2)
# FAST: A[0:2] = A[2:4]{{$}}
# FAST: B[0:2] = B[2:4]{{$}}
