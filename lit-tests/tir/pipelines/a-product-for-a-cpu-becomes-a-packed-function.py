# A product of matrices with packed weights, from blocks to a packed function: every step computes the same.
# RUN: %relayopt --passes='default<tir>' --validate=each %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes='default<tir.build;target=llvm>' --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=STEPS
# RUN: %relayopt --passes='default<tir.build;target=llvm>' %s | FileCheck --check-prefix=BUILD %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 24), "float32"), B: T.Buffer((24, 32), "float32"), C: T.Buffer((16, 32), "float32")):
    B_packed = T.alloc_buffer((4, 24, 8))
    for jo, k, ji in T.grid(4, 24, 8):
        with T.block("pack"):
            vo, vk, vi = T.axis.remap("SSS", [jo, k, ji])
            B_packed[vo, vk, vi] = B[vk, vo * 8 + vi]
    for io, jo in T.grid(4, 4):
        for k in range(24):
            for ii in T.unroll(4):
                for ji in T.vectorized(8):
                    with T.block("product"):
                        vi = T.axis.spatial(16, io * 4 + ii)
                        vj = T.axis.spatial(32, jo * 8 + ji)
                        vk = T.axis.reduce(24, k)
                        with T.init():
                            C[vi, vj] = T.float32(0)
                        C[vi, vj] = C[vi, vj] + A[vi, vk] * B_packed[vj // 8, vk, vj % 8]
# CHECK:      0 mismatches
# CHECK-NOT:  T.block
# CHECK:      C_1[cse_var_{{[0-9]+}}:cse_var_{{[0-9]+}} + 8] = T.Broadcast(T.float32(0), 8)
# BUILD:      def main(args: T.handle, arg_type_ids: T.handle("int32"), num_args: T.int32
# BUILD:      "kind": "llvm"
# BUILD-NOT:  T.block
# BUILD:      T.ret(0)
# STEPS: validate: {{[0-9]+}} passes: {{[0-9]+}} ok {{.*}}, 0 mismatches, {{[0-9]+}} unchanged, 0 not validated
