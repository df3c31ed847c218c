# A reduction in which each thread has its own rows stays as it is, and so does one without an initialization.
# RUN: %relayopt %s --passes=tir.LowerCrossThreadReduction --print-changed --disable-output 2>&1 | FileCheck %s --allow-empty
from tvm.script import tir as T

@T.prim_func
def rows(A: T.Buffer((32, 8), "float32"), B: T.Buffer((32,), "float32")):
    for i in T.thread_binding(32, thread="threadIdx.x"):
        for k in range(8):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]

@T.prim_func
def update(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        for k in T.thread_binding(32, thread="threadIdx.x"):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(B[vi], A[vi, vk])
                T.writes(B[vi])
                B[vi] = B[vi] + A[vi, vk]

# CHECK-NOT: {{cross_thread|in_thread}}
