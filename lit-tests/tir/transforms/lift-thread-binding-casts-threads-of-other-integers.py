# Loops over one kind of threads may count in different integers.
# RUN: %relayopt --passes=tir.LiftThreadBinding %s | FileCheck %s
# RUN: %relayopt --passes=tir.LiftThreadBinding --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for j in T.thread_binding(4, thread="threadIdx.x"):
            A[i * 4 + j] = T.float32(1)
        for k in T.thread_binding(T.int64(4), thread="threadIdx.x"):
            B[T.Cast("int64", i) * T.int64(4) + k] = T.float32(2)
# CHECK:     for [[X:threadIdx_x]] in T.thread_binding(4, thread="threadIdx.x"):
# CHECK:       A[{{.*}} * 4 + [[X]]] = T.float32(1)
# CHECK:       B[{{.*}} * T.int64(4) + T.Cast("int64", [[X]])] = T.float32(2)
# VALID: validate: {{.*}} 0 mismatches
