# RUN: not %relayopt --passes='tir.VerifyVTCMLimit' %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes='tir.VerifyVTCMLimit' %S/lower-vtcm-alloc-asks-the-runtime.py | FileCheck --check-prefix=FITS %s
from tvm.script import tir as T

@T.prim_func
def main():
    T.func_attr({"target": T.target("hexagon -vtcm-capacity=100")})
    A = T.allocate([64], "int8", "global.vtcm")
    B = T.allocate([64], "int8", "global.vtcm")
    T.evaluate(0)
# CHECK: error: RuntimeError: The global.vtcm memory allocation limit has been exceeded (allocated: 128, limit: 100).
# FITS:  def main
