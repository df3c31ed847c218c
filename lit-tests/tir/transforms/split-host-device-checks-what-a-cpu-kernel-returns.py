# A device that can report errors returns a code.
# RUN: %relayopt --passes=tir.SplitHostDevice %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    with T.attr(T.target({"keys": ["cpu"], "kind": "llvm", "tag": ""}), "target", 0):
        T.evaluate(n)
# CHECK: def main_kernel(n: T.int32) -> T.int32:
# CHECK: T.ret(0)
# CHECK: kernel_error_code: T.int32 = Module.main_kernel(n)
# CHECK-NEXT: assert kernel_error_code == 0, "Error executing compute kernel"
