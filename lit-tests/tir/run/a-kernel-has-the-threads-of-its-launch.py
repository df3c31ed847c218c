# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def kernel(A: T.handle("float32")):
        T.func_attr({"calling_conv": 2, "global_symbol": "kernel", "tir.kernel_launch_params": ["threadIdx.x"]})
        A_1 = T.Buffer((4,), data=A)
        tx = T.launch_thread("threadIdx.x", 4)
        A_1[tx] = T.float32(1)

    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        T.call_packed("kernel", A.data, 8)
# CHECK: :11:{{[0-9]+}}: error: the kernel is launched with threadIdx.x = 8, but has 4 [launch-extent]
