# A sum over rows: each thread adds up a part, and one of them the parts.
# RUN: %relayopt --passes='default<tir>' --validate=each %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes='default<tir.build;target=cuda>' --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=STEPS
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 256), "float32"), B: T.Buffer((4,), "float32")):
    part = T.alloc_buffer((4, 32), scope="shared")
    for i in T.thread_binding(4, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            for k in range(8):
                with T.block("part"):
                    vi, vt, vk = T.axis.remap("SSR", [i, t, k])
                    with T.init():
                        part[vi, vt] = T.float32(0)
                    part[vi, vt] = part[vi, vt] + A[vi, vk * 32 + vt]
            for l in range(32):
                with T.block("sum"):
                    T.where(t == 0)
                    vi, vl = T.axis.remap("SR", [i, l])
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + part[vi, vl]
# CHECK:      0 mismatches
# CHECK:      part = T.allocate([32], "float32", "shared")
# CHECK:      if threadIdx_x == 0:
# STEPS: validate: {{[0-9]+}} passes: {{[0-9]+}} ok {{.*}}, 0 mismatches, {{[0-9]+}} unchanged, 0 not validated
