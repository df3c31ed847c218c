# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def square(p: T.handle("int32"), i: T.int32) -> T.int32:
        P = T.Buffer((4,), "int32", data=p)
        P[i] = i * i
        T.ret(P[i] + 1)

    @T.prim_func
    def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = Module.square(A.data, i)
# CHECK: {{^}}A: [0, 1, 4, 9]{{$}}
# CHECK: {{^}}B: [1, 2, 5, 10]{{$}}
