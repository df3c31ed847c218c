# A rule whose result adds a literal near an end of its type, where the program does not add it, is left out: the sum
# would overflow, and what compares it or divides it would see another number.
# RUN: %relayopt --passes=tir.Simplify --validate %s | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((6,), "int32"), n: T.int32, m: T.int32):
    # max(0, -2147483647 - n) would be about 2147483647 for n = 5.
    # CHECK: A[0] = T.max(n, -2147483647) - n
    A[0] = T.max(n, -2147483647) - n
    # CHECK: A[1] = n - T.min(n, 2147483645)
    A[1] = n - T.min(n, 2147483645)
    # n + m might overflow.
    # CHECK: A[2] = T.Cast("int32", n < 2147483647 - m)
    A[2] = T.Cast("int32", n < 2147483647 - m)
    # The rest of -1 is 999999, by which n is not multiplied.
    # CHECK: A[3] = {{.*}}-1{{.*}}
    # CHECK-NOT: 999999
    A[3] = n * -1 % 1000000
    # A literal that moves to the other side.
    # CHECK: A[4] = T.Cast("int32", n - 2147483640 < m + 5)
    A[4] = T.Cast("int32", n - 2147483640 < m + 5)
