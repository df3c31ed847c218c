# Regions of memory of older schedules are refused.
# RUN: %relayopt --passes=tir.PlanAndUpdateBufferAllocationLocation --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    B = T.Buffer((4,))
    T.realize(B[0:4], "global")  # expected-error {{tir.PlanAndUpdateBufferAllocationLocation: T.realize is not for programs with blocks}}
    B[0] = A[0]
