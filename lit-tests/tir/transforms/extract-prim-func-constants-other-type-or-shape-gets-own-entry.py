# Equal bytes with another type or another shape are another constant.
# RUN: %relayopt --passes=tir.ExtractPrimFuncConstants %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "int32")):
        K = T.allocate_const([1, 2, 3, 4], "int32", [4])
        L = T.allocate_const([1, 2, 3, 4], "uint32", [4])
        N = T.allocate_const([[1, 2], [3, 4]], "int32", [2, 2])
        A[0] = T.Buffer((4,), "int32", data=K)[0] + T.Buffer((2, 2), "int32", data=N)[0, 0]
        A[1] = T.Cast("int32", T.Buffer((4,), "uint32", data=L)[0])
# CHECK: I.module_attrs({"constants": [metadata["runtime.NDArray"][0], metadata["runtime.NDArray"][1], metadata["runtime.NDArray"][2]]})
