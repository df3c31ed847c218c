# The smallest int64 has no negation, so that comparisons with it are not decided by a difference.
# RUN: %relayopt --passes=tir.Simplify --validate --validate-edge %s | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((8,), "int64"), B: T.Buffer((8,), "bool")):
    B[0] = T.min(T.int64(0), A[0]) < T.int64(-9223372036854775808)
    B[1] = T.int64(-9223372036854775808) < T.min(T.int64(1), A[0])
    B[2] = T.max(T.int64(-5), A[0]) == T.int64(-9223372036854775808)
    B[3] = T.min(T.int64(0), A[0]) <= T.int64(-9223372036854775808)
    # Its neighbour has one.
    B[4] = T.max(T.int64(0), A[0]) < T.int64(-9223372036854775807)


# CHECK-NOT: B[0] = T.bool(True)
# CHECK: B[1] = T.int64(-9223372036854775808) < A[0]
# CHECK: B[2] = T.bool(False)
# CHECK-NOT: B[3] = T.bool(True)
# CHECK: B[4] = T.bool(False)
