# default<tir.host> ends with InstallDebugSpans where the config asks for it.
# RUN: %relayopt --passes='default<tir.host;target=llvm>' --print-after=tir.InstallDebugSpans %s 2>&1 | FileCheck --check-prefix=NONE %s
# RUN: %relayopt --passes='default<tir.host;target=llvm>' --config=tir.enable_debug=true --print-after=tir.InstallDebugSpans %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    T.evaluate(n)
# NONE-NOT: IR Dump {{.*}}InstallDebugSpans
# CHECK: IR Dump {{.*}}InstallDebugSpans
