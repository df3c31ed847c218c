# Sums of a ramp and a scalar, and products with a positive literal, are ramps; everything else is done lane by lane on
# vectors of equal length. A let of a vector has a vector variable.
# RUN: %relayopt --passes=tir.VectorizeLoop %s | FileCheck %s
# RUN: %relayopt --passes=tir.VectorizeLoop --validate --disable-output %s 2>&1 | FileCheck --check-prefix=VALID %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def sums(A: T.Buffer((64,), "int32"), n: T.int32):
        for i in T.vectorized(4):
            A[n + i] = 3 - i
            A[i + 8] = i - n
            A[2 * i + 16] = i * n
            A[i * 2 + i + 32] = i * i
            A[i * 2 + 49] = T.min(i, n)

    @T.prim_func
    def lets(A: T.Buffer((64,), "int32"), n: T.int32):
        for i in T.vectorized(4):
            x: T.int32 = i * 2
            y: T.int32 = n * 2
            A[i] = x + y + 1

    @T.prim_func
    def longer(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in T.vectorized(4):
            B[i * 8] = A[i]
            B[0] = A[i]

    @T.prim_func
    def shuffled(A: T.Buffer((64,), "int32")):
        for i in T.vectorized(4):
            A[T.Ramp(i * 2, 1, 2)] = T.Broadcast(1, 2)

    @T.prim_func
    def one_lane(A: T.Buffer((16,), "float32")):
        for i in T.vectorized(1):
            A[i] = T.float32(1)
# CHECK-LABEL: def lets(A: T.Buffer((64,), "int32"), n: T.int32):
# CHECK-NEXT:  x: T.int32x4 = T.Ramp(0, 2, 4)
# CHECK-NEXT:  y: T.int32 = n * 2
# CHECK-NEXT:  A[0:4] = x + T.Broadcast(y, 4) + T.Broadcast(1, 4)
# CHECK-LABEL: def longer(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
# CHECK-NEXT:  B[0:32:8] = A[0:4]
# CHECK-NEXT:  B[T.Broadcast(0, 4)] = A[0:4]
# CHECK-LABEL: def one_lane(A: T.Buffer((16,), "float32")):
# CHECK-NEXT:  A[0] = T.float32(1)
# CHECK-LABEL: def shuffled(A: T.Buffer((64,), "int32")):
# CHECK-NEXT:  A[0:8] = T.Broadcast(1, 8)
# CHECK-LABEL: def sums(A: T.Buffer((64,), "int32"), n: T.int32):
# CHECK-NEXT:  A[n:n + 4] = T.Ramp(3, -1, 4)
# CHECK-NEXT:  A[8:12] = T.Ramp(0 - n, 1, 4)
# CHECK-NEXT:  A[16:24:2] = T.Ramp(0, 1, 4) * T.Broadcast(n, 4)
# CHECK-NEXT:  A[T.Ramp(0, 2, 4) + T.Ramp(0, 1, 4) + T.Broadcast(32, 4)] = T.Ramp(0, 1, 4) * T.Ramp(0, 1, 4)
# CHECK-NEXT:  A[49:57:2] = T.min(T.Ramp(0, 1, 4), T.Broadcast(n, 4))
# VALID: validate: 1 pass: 1 ok
