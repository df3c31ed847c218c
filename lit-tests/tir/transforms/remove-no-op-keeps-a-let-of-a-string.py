# What a handle is bound to is not reasoned about.
# RUN: %relayopt --passes=tir.RemoveNoOp,tir.Simplify %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main():
    a: T.handle("int32", "global") = "dummy_func"
    A = T.Buffer((1,), "int32", data=a)
    A[0] = 42
# CHECK: T.handle("int32", "global") = "dummy_func"
# CHECK: [0] = 42
