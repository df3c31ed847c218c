# RUN: not %relayopt --passes=tir.LowerTVMBuiltin %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.handle("float32")):
    T.func_attr({"target": T.target("llvm")})
    T.call_packed("f", T.tvm_stack_make_array(A, T.tvm_stack_make_shape(4), 0, T.uint32(1), T.Cast("float32", 0), 0))
# CHECK: :7:5: error: LowerTVMBuiltin: the device is not specified{{.*}} [builtin-device]
