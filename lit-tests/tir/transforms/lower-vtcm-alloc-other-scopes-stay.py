# Memory of other scopes stays allocated.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.LowerVtcmAlloc %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main():
    A = T.allocate([64], "int8", "global")
    B = T.allocate([64], "int8", "shared")
    T.call_extern("int32", "f", A, B)
