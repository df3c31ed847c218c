# Arrays of several functions share the list of the module; one inside of another is listed, too.
# RUN: %relayopt --passes=tir.ExtractPrimFuncConstants %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((2,), "int32")):
        K = T.allocate_const([1, 2], "int32", [2])
        L = T.allocate_const([3, 4], "int32", [2])
        A[0] = T.Buffer((2,), "int32", data=L)[0]

    @T.prim_func
    def g(A: T.Buffer((2,), "int32")):
        K = T.allocate_const([1, 2], "int32", [2])
        A[0] = T.Buffer((2,), "int32", data=K)[0]
# CHECK: I.module_attrs({"constants": [metadata["runtime.NDArray"][0], metadata["runtime.NDArray"][1]]})
