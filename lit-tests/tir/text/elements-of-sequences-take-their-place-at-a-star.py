# `*` puts the elements of a sequence where they are needed, and collects the loops that have no name.
# RUN: %relayopt %s --verify-roundtrip | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 8, 2), "float32"), B: T.Buffer((4, 8), "float32")):
    C = T.alloc_buffer([*B.shape, 3], "float32")
    # CHECK: C = T.alloc_buffer((4, 8, 3))
    for *spatial, k in T.grid(*A.shape):
        # CHECK: for spatial_0, spatial_1, k in T.grid(4, 8, 2):
        with T.block("b"):
            # CHECK: vi, vj, vk = T.axis.remap("SSR", [spatial_0, spatial_1, k])
            vi, vj, vk = T.axis.remap("SSR", [*spatial, k])
            C[*[vi, vj], vk] = A[vi, vj, vk]
            # CHECK: C[vi, vj, vk] = A[vi, vj, vk]
    for first, *rest in T.grid(4):
        # CHECK: for first in range(4):
        B[first, 0] = C[first, 0, 0]
