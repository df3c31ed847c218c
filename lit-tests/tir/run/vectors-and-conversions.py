# Ramps index, broadcasts fill, shuffles pick; types round and wrap as their width says.
# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((4,), "int32"), C: T.Buffer((3,), "float16"), D: T.Buffer((2,), "int8")):
    A[0:8] = T.Ramp(0, 3, 8)
    B[0:4] = T.Select(A[0:4] < T.Broadcast(5, 4), A[4:8], T.Broadcast(-1, 4))
    A[0:8:2] = T.Shuffle([A[0:4], A[4:8]], [7, 0, 3, 4])
    C[0] = T.Cast("float16", T.float32(2049))
    C[1] = T.float16(1) / T.float16(3)
    C[2] = T.sqrt(T.float16(2))
    D[0] = T.Cast("int8", 300)
    D[1] = T.Cast("int8", T.float32(-7.9))
# CHECK: {{^}}A: [21, 3, 0, 9, 9, 15, 12, 21]{{$}}
# CHECK: {{^}}B: [12, 15, -1, -1]{{$}}
# CHECK: {{^}}C: [2048, 0.33325195, 1.4140625]{{$}}
# CHECK: {{^}}D: [44, -7]{{$}}
