# Where the modulus is no multiple of the divisor, or the bound no literal, nothing changes.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.RenormalizeSplitPattern %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):
    A[0] = x % 15 // 4
    A[1] = (x * 3 + y) // 16
    if x < y:
        A[2] = 0
