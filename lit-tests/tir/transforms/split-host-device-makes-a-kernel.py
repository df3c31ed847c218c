# A kernel for cuda returns nothing; what it uses becomes its parameters, pointers first.
# RUN: %relayopt --passes=tir.SplitHostDevice %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((8,), "float32")):
    with T.attr(T.target({"arch": "sm_50", "keys": ["cuda", "gpu"], "kind": "cuda", "max_num_threads": 1024, "tag": "", "thread_warp_size": 32}), "target", 0):
        tx = T.launch_thread("threadIdx.x", 8)
        A[tx] = T.Cast("float32", n)
# CHECK: @T.prim_func(private=True)
# CHECK-NEXT: def main_kernel(A: T.handle("float32", "global"), n: T.int32):
# CHECK-NEXT:   T.func_attr({"target": T.target({"arch": "sm_50", "keys": ["cuda", "gpu"], "kind": "cuda", "max_num_threads": 1024, "tag": "", "thread_warp_size": 32}), "tir.is_global_func": T.bool(True), "tir.noalias": T.bool(True)})
# CHECK: def main(n: T.int32, A: T.Buffer((8,), "float32")):
# CHECK-NEXT: Module.main_kernel(A.data, n)
