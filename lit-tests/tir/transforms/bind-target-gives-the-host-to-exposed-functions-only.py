# What the outside calls is split into host and device later; a private function runs on the device.
# RUN: %relayopt '--passes=tir.BindTarget<target="cuda -arch=sm_80";host="llvm">' %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def a(n: T.int32):
        T.evaluate(n)

    @T.prim_func
    def b(n: T.int32):
        T.evaluate(n)

    @T.prim_func(private=True)
    def c(n: T.int32):
        T.func_attr({"tir.is_host_func": True})
        T.evaluate(n)
# CHECK: def a(n: T.int32):
# CHECK-NEXT: T.func_attr({"target": T.target({"arch": "sm_80", "keys": ["cuda", "gpu"], "kind": "cuda", "max_num_threads": 1024, "tag": "", "thread_warp_size": 32})})
# CHECK: def b(n: T.int32):
# CHECK-NEXT: T.func_attr({"target": T.target({"arch": "sm_80", "host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cuda", "gpu"], "kind": "cuda", "max_num_threads": 1024, "tag": "", "thread_warp_size": 32})})
# CHECK: def c(n: T.int32):
# CHECK-NEXT: T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
