# A virtual thread is defined where it is launched: it is not a parameter of the kernel.
# RUN: %relayopt --passes=tir.SplitHostDevice %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.handle("float32", "global")):
        T.func_attr({"target": T.target({"kind": "cuda", "host": {"kind": "llvm"}})})
        with T.attr(T.target({"kind": "cuda"}), "target", 0):
            A_1 = T.decl_buffer((64,), data=A)
            blockIdx_x = T.launch_thread("blockIdx.x", 4)
            vthread = T.launch_thread("vthread", 2)
            A_1[blockIdx_x * 2 + vthread] = T.float32(1)
# CHECK: def main_kernel([[A:[A-Z_0-9]+]]: T.handle("float32", "global")):
