# An annotation of None says nothing: it becomes no attribute.
# RUN: %relayopt --passes=tir.LowerOpaqueBlock --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    with T.block(""):
        T.block_attr({"pragma_x": None})
        for i in T.serial(4, annotations={"pragma_unroll_explicit": None, "pragma_auto_unroll_max_step": 4}):
            A[i] = T.float32(1)
        for i in T.serial(4, annotations={"pragma_unroll_explicit": None}):
            A[i] = T.float32(1)
# CHECK-NOT: pragma_x
# CHECK-NOT: pragma_unroll_explicit
# CHECK: "pragma_auto_unroll_max_step", 4
# CHECK-NOT: pragma_unroll_explicit
