# Nothing is defined twice, so nothing changes: two loops over variables of one name have two variables.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.ConvertSSA %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for i in range(4):
        A[i] = 1
    for i in range(4):
        A[i] = 2
