# What TVM 0.27 prints for the same programs: other names of blocks and allocations, extents in quotes, views, assertions with a kind.
# RUN: %relayopt %s | FileCheck %s
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("n", 4), "float32"), C: T.Buffer(("m",), "float32"), n: T.int64):
        m = T.int32()
        assert n < T.int64(20), ("RuntimeError", ["too ", "long"])
        S = T.alloc_shared((16,), "float16")
        L = T.alloc_local((4,))
        G = T.alloc_buffer((4,), annotations={"a": 1})
        V = L.view(2, 2)
        for i in T.serial(4, unroll=2):
            y: T.let[T.int32] = i * 2
            L[i] = A[0, y // 2]
            G[i] = V[i // 2, i % 2]
        with T.sblock("root"):
            B = T.sblock_alloc_buffer((4,))
            for i in range(4):
                with T.sblock("b"):
                    vi = T.axis.spatial(4, i)
                    B[vi] = C[vi]
# CHECK: @T.prim_func
# CHECK-NEXT: def main(A_handle: T.handle, C_handle: T.handle, n: T.int64):
# CHECK-NEXT: A = T.match_buffer(A_handle, (n, 4))
# CHECK-NEXT: m = T.int32()
# CHECK-NEXT: C = T.match_buffer(C_handle, (m,))
# CHECK: assert n < T.int64(20), "too long"
# CHECK: S = T.decl_buffer((16,), "float16", scope="shared")
# CHECK: L = T.decl_buffer((4,), scope="local")
# CHECK: T.allocate([4], "float32", "global", annotations={"a": 1})
# CHECK: V = T.decl_buffer((2, 2), data=L.data, scope="local")
# CHECK: for i in T.serial(4, annotations={"pragma_unroll": 2}):
# CHECK: y: T.int32 = i * 2
# CHECK: with T.block("b"):
