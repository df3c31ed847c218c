# A statement whose condition, extent or call differs between lanes is done for each lane in a loop; one whose condition
# is the same for all lanes is not.
# RUN: %relayopt --passes=tir.VectorizeLoop %s | FileCheck %s
# RUN: %relayopt --passes=tir.VectorizeLoop --validate --disable-output %s 2>&1 | FileCheck --check-prefix=VALID %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def selects(A: T.Buffer((64,), "float32"), n: T.int32):
        for i in T.vectorized(4):
            A[i] = T.Select(i > n, T.float32(1), A[i])
            A[i] = T.if_then_else(i > n, T.float32(1), A[i])
            A[i] = T.if_then_else(n > 0, T.float32(1), A[i])
            A[i] = T.exp(A[i]) + T.Cast("float32", i)
            A[i] = T.call_extern("float32", "f", i)

    @T.prim_func
    def loops(A: T.Buffer((64,), "int32"), n: T.int32):
        for i in T.vectorized(4):
            for j in range(n):
                A[i * 16 + j] = j
            for j in range(i):
                A[i * 16 + j] = j
            for j in T.vectorized(2):
                A[i * 16 + j] = j

    @T.prim_func
    def memory(A: T.Buffer((64,), "int32"), n: T.int32):
        for i in T.vectorized(4):
            B = T.allocate([i + 1], "int32", "global")
            B_1 = T.Buffer((4,), "int32", data=B)
            B_1[0] = i
            A[i] = B_1[0]

    @T.prim_func
    def whiles(A: T.Buffer((64,), "int32")):
        for i in T.vectorized(4):
            while A[i] < 4:
                A[i] = A[i] + 1
# CHECK-LABEL: def loops(A: T.Buffer((64,), "int32"), n: T.int32):
# CHECK-NEXT:  for j in range(n):
# CHECK-NEXT:  A[j:j + 64:16] = T.Broadcast(j, 4)
# CHECK-NEXT:  for i_s in range(4):
# CHECK-NEXT:  for j in range(i_s):
# CHECK-NEXT:  A[i_s * 16 + j] = j
# CHECK-NEXT:  for j in T.vectorized(2):
# CHECK-NEXT:  A[j:j + 64:16] = T.Broadcast(j, 4)
# CHECK-LABEL: def memory(A: T.Buffer((64,), "int32"), n: T.int32):
# CHECK-NEXT:  for i_s in range(4):
# CHECK-NEXT:  B_1 = T.allocate([i_s + 1], "int32", "global")
# CHECK-NEXT:  B_1_1 = T.Buffer((4,), "int32", data=B_1)
# CHECK-NEXT:  B_1_1[0] = i_s
# CHECK-NEXT:  A[i_s] = B_1_1[0]
# CHECK-LABEL: def selects(A: T.Buffer((64,), "float32"), n: T.int32):
# CHECK-NEXT:  A[0:4] = T.Select(T.Ramp(0, 1, 4) > T.Broadcast(n, 4), T.Broadcast(T.float32(1), 4), A[0:4])
# CHECK-NEXT:  for i_s in range(4):
# CHECK-NEXT:  A[i_s] = T.if_then_else(i_s > n, T.float32(1), A[i_s])
# CHECK-NEXT:  A[0:4] = T.if_then_else(n > 0, T.Broadcast(T.float32(1), 4), A[0:4])
# CHECK-NEXT:  A[0:4] = T.exp(A[0:4]) + T.Cast("float32x4", T.Ramp(0, 1, 4))
# CHECK-NEXT:  for i_s in range(4):
# CHECK-NEXT:  A[i_s] = T.call_extern("float32", "f", i_s)
# CHECK-LABEL: def whiles(A: T.Buffer((64,), "int32")):
# CHECK-NEXT:  for i_s in range(4):
# CHECK-NEXT:  while A[i_s] < 4:
# CHECK-NEXT:  A[i_s] = A[i_s] + 1
# VALID: validate: 1 pass: 1 ok
