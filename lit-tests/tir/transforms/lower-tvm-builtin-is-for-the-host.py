# RUN: %relayopt --passes=tir.LowerTVMBuiltin %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    T.func_attr({"target": T.target("cuda")})
    T.call_packed("f", n)
# CHECK:     T.call_packed("f", n)
