# The offset of T.ptx_ldmatrix and that of its pointer become one permuted offset.
# RUN: %relayopt --passes=tir.InjectPermutedLayout %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main():
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        with T.block(""):
            T.reads()
            T.writes()
            S = T.alloc_buffer((64, 64), "float16", scope="shared")
            R = T.alloc_buffer((8,), "float16", scope="local")
            for k in range(4):
                with T.block(""):
                    T.reads(S[0:64, 0:64])
                    T.writes(R[0:8])
                    T.block_attr({"permuted_layout": 1})
                    T.ptx_ldmatrix("float16", T.bool(False), 4, ".b16", R.data, 0, T.tvm_access_ptr(T.type_annotation("float16"), S.data, k * 16, 1024, 1), tx % 16 * 64 + tx // 16 * 8)
# CHECK: T.tvm_access_ptr(T.type_annotation("float16"), S.data, tx % 16 * 64 + T.bitwise_xor(k * 2 + tx // 16, tx % 8) * 8, 1024, 1), 0)
