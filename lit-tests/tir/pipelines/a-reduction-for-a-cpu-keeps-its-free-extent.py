# A sum over rows of unknown number.
# RUN: %relayopt --passes='default<tir>' --validate=each %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes='default<tir.build;target=llvm>' --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=STEPS
# RUN: %relayopt --passes='default<tir.build;target=llvm>' %s | FileCheck --check-prefix=BUILD %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, b: T.handle, n: T.int32):
    A = T.match_buffer(a, (n, 64))
    B = T.match_buffer(b, (n,))
    part = T.alloc_buffer((n, 8))
    for i, l in T.grid(n, 8):
        for k in range(8):
            with T.block("part"):
                vi, vl, vk = T.axis.remap("SSR", [i, l, k])
                with T.init():
                    part[vi, vl] = T.float32(0)
                part[vi, vl] = part[vi, vl] + A[vi, vk * 8 + vl]
    for i in T.parallel(n):
        for l in range(8):
            with T.block("sum"):
                vi, vl = T.axis.remap("SR", [i, l])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + part[vi, vl]
# CHECK:      0 mismatches
# CHECK-NOT:  T.block
# CHECK:      for i in T.parallel(n):
# BUILD:      n: T.int32 =
# STEPS: validate: {{[0-9]+}} passes: {{[0-9]+}} ok {{.*}}, 0 mismatches, {{[0-9]+}} unchanged, 0 not validated
