# RUN: not %relayopt --passes=tir.LowerTVMBuiltin %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main():
    T.func_attr({"target": T.target("llvm")})
    T.evaluate(T.tvm_stack_make_shape(4))
# CHECK: :7:5: error: LowerTVMBuiltin: shapes and arrays live as long as the packed call that gets them{{.*}} [builtin-outside]
