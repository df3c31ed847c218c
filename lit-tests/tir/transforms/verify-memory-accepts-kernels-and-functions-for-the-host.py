# RUN: %relayopt --passes=tir.VerifyMemory %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16,), "float32")):
        T.func_attr({"target": T.target("cuda")})
        B = T.decl_buffer((1,), "float32")
        B[0] = T.float32(0)
        with T.launch_thread("threadIdx.x", 16) as tx:
            A[tx] = T.float32(0)
    @T.prim_func
    def host(A: T.Buffer((16,), "float32")):
        T.func_attr({"target": T.target("llvm")})
        A[0] = T.float32(0)
# CHECK: def main
