# Masks for powers of two, truncation where nothing is negative, a correction otherwise.
# RUN: %relayopt --passes=tir.LowerIntrin %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):
    T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "c", "tag": ""})})
    for i in range(64):
        A[0] = i // 8 + i % 8
        A[1] = i // 6
        A[2] = x // 6
        A[3] = T.Select(y > 0, i // y, 0)
        A[4] = x % y
# CHECK: A[0] = T.shift_right(i, 3) + T.bitwise_and(i, 7)
# CHECK: A[1] = T.Div(i, 6)
# CHECK: A[2] = T.Div(x, 6) + T.shift_right(T.truncmod(x, 6), 31)
# CHECK: A[3] = T.Select(y > 0, T.Div(i, y), 0)
# CHECK: A[4] = T.Let(T.Select(y >= 0 and rmod >= 0 or y < 0 and rmod <= 0, rmod, rmod + y), where={rmod: T.truncmod(x, y)})
