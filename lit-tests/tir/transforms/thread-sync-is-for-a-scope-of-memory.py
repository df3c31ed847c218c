# RUN: not %relayopt '--passes=tir.ThreadSync<storage_scope=heap>' %s 2>&1 | FileCheck %s
# RUN: %relayopt '--passes=tir.ThreadSync<storage_scope=global>' --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(C: T.Buffer((16,), "float32")):
    C[0] = T.float32(0)
# CHECK: error: ThreadSync: heap is not a storage scope
