# UnifyThreadBinding makes loops of launches; the kernel is launched with their extents all the same.
# RUN: %relayopt --passes='tir.BindTarget<target=cuda;host=llvm>,tir.AnnotateDeviceRegions,tir.SplitHostDevice,tir.UnifyThreadBinding,tir.MakePackedAPI,tir.LowerDeviceKernelLaunch' --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    T.func_attr({"global_symbol": "main"})
    b = T.launch_thread("blockIdx.x", 2)
    t = T.launch_thread("threadIdx.x", 4)
    B[b * 4 + t] = A[b * 4 + t] + 1
# CHECK-DAG: "tir.kernel_launch_params": ["blockIdx.x", "threadIdx.x"]
# CHECK-DAG: for blockIdx_x in T.thread_binding(2, thread="blockIdx.x"):
# CHECK-DAG: T.call_packed("main_kernel", A, B, 2, 4)
