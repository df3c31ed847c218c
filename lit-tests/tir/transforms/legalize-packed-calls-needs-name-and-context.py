# RUN: not %relayopt --passes=tir.LegalizePackedCalls %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main():
    T.call_cpacked("g")
# CHECK: :6:5: error: T.call_cpacked needs a name, arguments and the context at last
