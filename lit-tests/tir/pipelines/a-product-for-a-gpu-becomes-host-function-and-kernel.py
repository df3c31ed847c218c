# A product of matrices with tiles in shared memory, from blocks to a kernel and the function that launches it.
# RUN: %relayopt --passes='default<tir>' --validate=each %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes='default<tir.build;target=cuda>' %s | FileCheck --check-prefix=BUILD %s
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
# CHECK:      0 mismatches
# CHECK-NOT:  T.block
# CHECK:      C_local = T.allocate([1], "float32", "local")
# CHECK:      A_shared = T.allocate([64], "float32", "shared")
# BUILD:      def main_kernel(
# BUILD-SAME: C: T.handle("float32", "global")
# BUILD:      "tir.kernel_launch_params": ["blockIdx.y", "blockIdx.x", "threadIdx.y", "threadIdx.x"]
# BUILD:      T.tvm_storage_sync("shared")
# BUILD:      A_shared_1[threadIdx_y * 8 + threadIdx_x] =
# BUILD:      T.tvm_storage_sync("shared")
# BUILD-NEXT: for ki in range(8):
# BUILD:      def main(args: T.handle
# BUILD:      T.call_packed_lowered("main_kernel", stack_value, stack_tcode, 0, 7)
