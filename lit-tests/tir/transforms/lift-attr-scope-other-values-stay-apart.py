# Neighbours with other values, or other nodes, do not share an attribute.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes='tir.LiftAttrScope<attr_key=k>' %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    with T.attr(0, "k", 1):
        A[0] = 1
    with T.attr(0, "k", 2):
        A[1] = 2
    with T.attr(1, "k", 2):
        A[2] = 3
