# A module without constants gets no attribute.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.ExtractPrimFuncConstants %s | cmp - %t
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((2,), "int32")):
        K = T.allocate([2], "int32")
        K_1 = T.Buffer((2,), "int32", data=K)
        K_1[0] = 1
        A[0] = K_1[0]
