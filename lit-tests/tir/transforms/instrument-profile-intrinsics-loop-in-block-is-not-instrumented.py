# Of all loops, only those that nothing but loops and the like is around are told about, and none in a parallel one.
# RUN: %relayopt --passes=tir.InstrumentProfileIntrinsics --config=tir.instr_siblings=false --config=tir.lwp_max_depth=9 --config=tir.lwp_min_height=0 --config=tir.lwp_disable_func_prof=true %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for i in range(4):
        for j in T.parallel(2):
            for k in range(2):
                A[i] = j + k
        with T.block("b"):
            v = T.axis.spatial(4, i)
            for l in range(2):
                A[v] = l
# CHECK: T.start_profile_intrinsic(1)
# CHECK-NEXT: for i in range(4):
# CHECK-NEXT: T.start_profile_intrinsic(2)
# CHECK-NEXT: for j in T.parallel(2):
# CHECK-NEXT: for k in range(2):
# CHECK-NEXT: A[i] = j + k
# CHECK-NEXT: T.end_profile_intrinsic(2)
# CHECK-NEXT: with T.block("b"):
# CHECK-NOT: T.start_profile_intrinsic
# CHECK: T.end_profile_intrinsic(1)
