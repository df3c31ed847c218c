# RUN: %relayopt --passes=tir.StorageFlatten %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def legacy(A: T.Buffer((16, 8), "float32"), n: T.int32):
        T.func_attr({"from_legacy_te_schedule": True})
        assert 1 + 1 == 2, "always"
        assert n == 2, "perhaps"
        for i, j in T.grid(16, 8):
            A[i, j] = T.float32(0)
    @T.prim_func
    def other(A: T.Buffer((16, 8), "float32")):
        for i, j in T.grid(16, 8):
            A[i, j] = T.float32(0)
# CHECK-LABEL: def legacy
# CHECK-NOT:   "always"
# CHECK:       assert n == 2, "perhaps"
# CHECK:       A_1[i * 8 + j] = T.float32(0)
# CHECK-LABEL: def other
# CHECK:       A[i, j] = T.float32(0)
