# Where the target of a function does not say how much there is, the option target, the option vtcm_capacity and the
# config key tir.vtcm_capacity do, in this order.
# RUN: %relayopt --passes=tir.VerifyVTCMLimit %s | FileCheck %s
# RUN: %relayopt --passes=tir.VerifyVTCMLimit --config=tir.vtcm_capacity=64 %s | FileCheck %s
# RUN: not %relayopt --passes=tir.VerifyVTCMLimit --config=tir.vtcm_capacity=63 %s 2>&1 | FileCheck --check-prefix=CONFIG %s
# RUN: not %relayopt --passes='tir.VerifyVTCMLimit<vtcm_capacity=62>' --config=tir.vtcm_capacity=63 %s 2>&1 | FileCheck --check-prefix=OPTION %s
# RUN: not %relayopt --passes='tir.VerifyVTCMLimit<target="hexagon -vtcm-capacity=61";vtcm_capacity=62>' %s 2>&1 | FileCheck --check-prefix=TARGET %s
# RUN: not %relayopt --passes='default<tir.mixed;target="hexagon -vtcm-capacity=60">' %s 2>&1 | FileCheck --check-prefix=MIXED %s
# RUN: %relayopt --passes='tir.VerifyVTCMLimit<target="llvm -num-cores=4">' %s | FileCheck %s
# RUN: %relayopt --passes=tir.calculate_allocated_bytes %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main():
    A = T.allocate([64], "int8", "global.vtcm")
    T.evaluate(0)
# CHECK:  def main
# CONFIG: (allocated: 64, limit: 63).
# OPTION: (allocated: 64, limit: 62).
# TARGET: (allocated: 64, limit: 61).
# MIXED:  (allocated: 64, limit: 60).
