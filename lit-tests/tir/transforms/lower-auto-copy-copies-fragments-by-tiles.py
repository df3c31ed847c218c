# Copies between shared memory and matrix fragments become instructions for tiles of 16 by 16, on padded rows.
# RUN: %relayopt --passes=tir.LowerAutoCopy %s | FileCheck %s
# RUN: %relayopt --passes=tir.LowerAutoCopy,tir.LowerMatchBuffer --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main():
    with T.block("root"):
        T.block_attr({"warp_execution": 1})
        S = T.alloc_buffer((32, 64), "float16", scope="shared")
        B = T.alloc_buffer((32, 64), "float16", scope="wmma.matrix_b")
        F = T.alloc_buffer((32, 64), "float32", scope="wmma.accumulator")
        R = T.alloc_buffer((32, 64), "float32", scope="shared")
        with T.block("B"):
            T.reads(S[0:32, 0:64])
            T.writes(B[0:32, 0:64])
            T.block_attr({"auto_copy": 1})
            for i, j in T.grid(32, 64):
                B[i, j] = S[i, j]
        with T.block("R"):
            T.reads(F[0:32, 0:64])
            T.writes(R[0:32, 0:64])
            T.block_attr({"auto_copy": 1})
            for i, j in T.grid(32, 64):
                R[i, j] = F[i, j]
# CHECK:      S = T.alloc_buffer((32, 64), "float16", strides=(72, 1), scope="shared")
# CHECK:      for i_0, j_0 in T.grid(2, 4):
# CHECK-NEXT:     with T.block("wmma_load"):
# CHECK-NEXT:       T.reads(S[i_0 * 16:i_0 * 16 + 16, j_0 * 16:j_0 * 16 + 16])
# CHECK-NEXT:       T.writes(B[i_0 * 16:i_0 * 16 + 16, j_0 * 16:j_0 * 16 + 16])
# CHECK-NEXT:       src = T.match_buffer(S[i_0 * 16:i_0 * 16 + 16, j_0 * 16:j_0 * 16 + 16], (16, 16), "float16", strides=("s1", "s0"), scope="shared", offset_factor=16)
# CHECK-NEXT:       tgt = T.match_buffer(B[i_0 * 16:i_0 * 16 + 16, j_0 * 16:j_0 * 16 + 16], (16, 16), "float16", scope="wmma.matrix_b", offset_factor=16)
# CHECK-NEXT:       T.tvm_load_matrix_sync(tgt.data, 16, 16, 16, tgt.elem_offset // 256 + tgt.elem_offset % 256 // 16, T.tvm_access_ptr(T.type_annotation("float16"), src.data, src.elem_offset, src.strides[0] * 16, 1), src.strides[0], "col_major")
# CHECK:          with T.block("wmma_store"):
# CHECK:            T.tvm_store_matrix_sync(src.data, 16, 16, 16, src.elem_offset // 256 + src.elem_offset % 256 // 16, T.tvm_access_ptr(T.type_annotation("float32"), tgt.data, tgt.elem_offset, tgt.strides[0] * 16, 2), tgt.strides[0], "row_major")
