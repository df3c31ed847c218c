# Only what is allocated at the same time counts.
# RUN: %relayopt --passes='tir.VerifyVTCMLimit<vtcm_capacity=64>' %s | FileCheck %s
# RUN: not %relayopt --passes='tir.VerifyVTCMLimit<vtcm_capacity=63>' %s 2>&1 | FileCheck --check-prefix=LESS %s
from tvm.script import tir as T

@T.prim_func
def main():
    with T.allocate([64], "int8", "global.vtcm") as A:
        T.evaluate(A)
    with T.allocate([32], "int16", "global.vtcm") as B:
        T.evaluate(B)
# CHECK: def main
# LESS:  (allocated: 64, limit: 63).
