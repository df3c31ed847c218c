# Computing in other types stays as it is, bfloat16 among them.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.FP8ComputeLegalize %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((100,), "bfloat16"), B: T.Buffer((100,), "float16")):
    A[0] = A[1] + A[2]
    B[0] = T.exp(B[1])
