# What the text of a call does not say is warned of.
# RUN: %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def a(A: T.Buffer((16,), "float32")):
    T.dma_wait(0, 1)
# CHECK: [[#@LINE-1]]:5: warning: the text of T.dma_wait does not say its type: it is taken to be handle [script-intrinsic-type]
