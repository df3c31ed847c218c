# Threads that are loops, as UnifyThreadBinding writes them, share their memory like those of a launch.
# RUN: %relayopt --passes=tir.LowerTVMBuiltin --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((4,), "int32")):
    T.func_attr({"target": T.target("llvm")})
    T.attr("default", "device_id", 0)
    T.attr("default", "device_type", 1)
    for t in T.thread_binding(4, thread="threadIdx.x"):
        S = T.allocate([4], "int32", "shared")
        S_1 = T.Buffer((4,), "int32", data=S, scope="shared")
        S_1[t] = t
        T.tvm_storage_sync("shared")
        B[t] = S_1[3 - t]
# CHECK-NOT: TVMBackendAllocWorkspace
# CHECK: T.allocate([4], "int32", "shared")
