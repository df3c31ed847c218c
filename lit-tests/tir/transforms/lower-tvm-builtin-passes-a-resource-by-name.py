# RUN: %relayopt --passes=tir.LowerTVMBuiltin %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, resource: T.handle):
    T.func_attr({"target": T.target("llvm")})
    T.call_cpacked("f", n, resource)
# CHECK: T.call_cpacked_lowered("f", stack_value, stack_tcode, 0, 2, "resource")
