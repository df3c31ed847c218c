# From threads to the launch of a kernel: the region is marked, becomes a function, and its call a packed call with the
# extent of the threads at the end.
# RUN: %relayopt --passes=tir.AnnotateDeviceRegions,tir.SplitHostDevice,tir.MakePackedAPI,tir.LowerDeviceKernelLaunch %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    T.func_attr({"target": T.target({"arch": "sm_50", "host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cuda", "gpu"], "kind": "cuda", "max_num_threads": 1024, "tag": "", "thread_warp_size": 32})})
    tx = T.launch_thread("threadIdx.x", 8)
    A[tx] = T.float32(0)
# CHECK: def main_kernel(A: T.handle("float32", "global")):
# CHECK-NEXT: "calling_conv": 2
# CHECK-SAME: "tir.kernel_launch_params": ["threadIdx.x"]
# CHECK: T.launch_thread("threadIdx.x", 8)
# CHECK: def main(args: T.handle,
# CHECK: T.call_packed("__tvm_set_device", 2, dev_id)
# CHECK: T.call_packed("main_kernel", {{.*}}, 8)
