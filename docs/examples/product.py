# A product of matrices with tiles in shared memory; see ../lowering.md.
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32"), C: T.Buffer((32, 32), "float32")):
    A_shared = T.alloc_buffer((32, 32), scope="shared")
    B_shared = T.alloc_buffer((32, 32), scope="shared")
    C_local = T.alloc_buffer((32, 32), scope="local")
    for by in T.thread_binding(4, thread="blockIdx.y"):
        for bx in T.thread_binding(4, thread="blockIdx.x"):
            for ty in T.thread_binding(8, thread="threadIdx.y"):
                for tx in T.thread_binding(8, thread="threadIdx.x"):
                    with T.block("zero"):
                        vi = T.axis.spatial(32, by * 8 + ty)
                        vj = T.axis.spatial(32, bx * 8 + tx)
                        C_local[vi, vj] = T.float32(0)
                    for ko in range(4):
                        with T.block("fetch_a"):
                            vi = T.axis.spatial(32, by * 8 + ty)
                            vk = T.axis.spatial(32, ko * 8 + tx)
                            A_shared[vi, vk] = A[vi, vk]
                        with T.block("fetch_b"):
                            vk = T.axis.spatial(32, ko * 8 + ty)
                            vj = T.axis.spatial(32, bx * 8 + tx)
                            B_shared[vk, vj] = B[vk, vj]
                        for ki in range(8):
                            with T.block("product"):
                                vi = T.axis.spatial(32, by * 8 + ty)
                                vj = T.axis.spatial(32, bx * 8 + tx)
                                vk = T.axis.reduce(32, ko * 8 + ki)
                                C_local[vi, vj] = C_local[vi, vj] + A_shared[vi, vk] * B_shared[vk, vj]
                    with T.block("store"):
                        vi = T.axis.spatial(32, by * 8 + ty)
                        vj = T.axis.spatial(32, bx * 8 + tx)
                        C[vi, vj] = C_local[vi, vj]
