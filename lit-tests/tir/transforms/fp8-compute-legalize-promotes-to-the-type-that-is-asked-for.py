# RUN: %relayopt --passes='tir.FP8ComputeLegalize<promote_dtype_str=float16>' %s | FileCheck %s
# RUN: not %relayopt --passes='tir.FP8ComputeLegalize<promote_dtype_str=int8>' %s 2>&1 | FileCheck --check-prefix=INTEGER %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((100,), "e5m2_float8"), D: T.Buffer((100,), "e5m2_float8")):
    for i in range(100):
        D[i] = T.exp(A[i])
# CHECK:   D[i] = T.reinterpret("e5m2_float8", T.Select({{.*}}, T.Cast("uint8", T.shift_right(T.reinterpret("uint16", T.exp(T.reinterpret("float16", T.shift_left(T.Cast("uint16", T.reinterpret("uint8", A[i])), T.uint16(8))))) +
# INTEGER: error: int8 is not a type to compute in{{.*}} [legalize-promotion]
