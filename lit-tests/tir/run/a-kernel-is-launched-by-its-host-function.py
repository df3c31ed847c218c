# Host and device parts run together: the packed call hands pointers, numbers and the extents of the launch to the kernel.
# RUN: %relayopt --run --passes=tir.AnnotateDeviceRegions,tir.SplitHostDevice,tir.MakePackedAPI,tir.LowerDeviceKernelLaunch,tir.LowerTVMBuiltin %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((6,), "float32"), k: T.float32):
    T.func_attr({"global_symbol": "main", "target": T.target({"arch": "sm_50", "host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cuda", "gpu"], "kind": "cuda", "max_num_threads": 1024, "tag": "", "thread_warp_size": 32})})
    bx = T.launch_thread("blockIdx.x", 2)
    tx = T.launch_thread("threadIdx.x", 3)
    A[bx * 3 + tx] = T.Cast("float32", bx * 10 + tx)
# CHECK: {{^}}A: [0, 1, 2, 10, 11, 12]{{$}}
