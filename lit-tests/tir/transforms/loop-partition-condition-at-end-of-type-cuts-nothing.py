# A condition whose bound is at the end of its type holds in all iterations, or in none: the loop keeps its extent.
# RUN: %relayopt --passes='tir.LoopPartition<partition_const_loop=true>' --validate %s 2>&1 | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    for i in range(5, 15):
        if T.likely(i >= -2147483647):
            A[i] = 1
        else:
            A[i] = 2
    for i in range(-4, 6):
        if T.likely(i < 2147483647):
            A[i + 4] = 3
        else:
            A[i + 4] = 4
    for i in range(-4, 6):
        if T.likely(i >= 2147483647):
            A[i + 4] = 5
        else:
            A[i + 4] = 6
    # Less than the least number is nothing, and so is what another number would have to be less than.
    for i in range(10):
        if T.likely(i < -2147483648):
            A[i] = 9
        else:
            A[i] = 10
    for i in range(10):
        if T.likely(i + 5 < -2147483646):
            A[i] = 11
        else:
            A[i] = 12
    # A bound inside of the loop cuts it.
    for i in range(5, 15):
        if T.likely(i >= 7):
            A[i] = 7
        else:
            A[i] = 8


# CHECK-NOT: range({{-|[0-9][0-9][0-9]}}
# CHECK: A[i + 5] = 1
# CHECK-NOT: range({{-|[0-9][0-9][0-9]}}
# CHECK: A[{{.*}}] = 3
# CHECK-NOT: range({{-|[0-9][0-9][0-9]}}
# CHECK: A[{{.*}}] = 6
# CHECK-NOT: range({{-|[0-9][0-9][0-9]}}
# CHECK: A[i] = 10
# CHECK: A[i] = 12
# CHECK: A[i + 5] = 8
# CHECK: A[i + 7] = 7
