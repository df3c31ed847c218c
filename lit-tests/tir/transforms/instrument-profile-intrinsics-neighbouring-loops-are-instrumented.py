# The loops over j and k are beside each other and hold loops; that over l holds none, and that over i is alone.
# RUN: %relayopt --passes=tir.InstrumentProfileIntrinsics --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for i in range(4):
        for j in range(2):
            for l in range(2):
                A[i] = j + l
        for k in T.parallel(2):
            for m in range(2):
                A[i] = k + m
# CHECK: T.start_profile_intrinsic(0)
# CHECK-NEXT: for i in range(4):
# CHECK-NEXT: T.start_profile_intrinsic(2)
# CHECK-NEXT: for j, l in T.grid(2, 2):
# CHECK-NEXT: A[i] = j + l
# CHECK-NEXT: T.end_profile_intrinsic(2)
# CHECK-NEXT: T.start_profile_intrinsic(4)
# CHECK-NEXT: for k in T.parallel(2):
# CHECK-NEXT: for m in range(2):
# CHECK-NEXT: A[i] = k + m
# CHECK-NEXT: T.end_profile_intrinsic(4)
# CHECK-NEXT: T.end_profile_intrinsic(0)
