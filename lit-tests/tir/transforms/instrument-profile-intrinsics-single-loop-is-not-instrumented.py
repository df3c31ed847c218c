# A loop beside no other, and without loops inside, is too cheap to be measured.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.InstrumentProfileIntrinsics --config=tir.lwp_disable_func_prof=true %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for i in range(4):
        A[i] = i
