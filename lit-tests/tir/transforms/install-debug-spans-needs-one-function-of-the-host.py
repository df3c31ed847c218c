# RUN: not %relayopt --passes=tir.InstallDebugSpans %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes='tir.BindTarget<target=llvm>,tir.InstallDebugSpans' %s | FileCheck --check-prefix=HOST %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    T.evaluate(n)
# CHECK: error: InstallDebugSpans: there has to be one function for the host with a global symbol, and there are 0
# HOST:  def main
