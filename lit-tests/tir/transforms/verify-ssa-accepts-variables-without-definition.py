# Uses are not looked at.
# RUN: %relayopt --passes=tir.ConvertSSA,tir.VerifySSA %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    n = T.int32()
    A[0] = n
# CHECK: A[0] = n
