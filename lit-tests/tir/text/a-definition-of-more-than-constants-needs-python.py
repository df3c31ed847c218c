# Calls and names of other modules outside of the functions are not worked out, and complained about once.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
import numpy as np
from tvm.script import tir as T

N = np.prod((2, 4))
# CHECK: [[#@LINE-1]]:5: error: this needs a Python interpreter: a definition outside of the module by np
M = len([1])
# CHECK: [[#@LINE-1]]:5: error: this needs a Python interpreter: a definition outside of the module by len
x = T.int32()
# CHECK: [[#@LINE-1]]:5: error: this needs a Python interpreter: a definition outside of the module by T
A, B = 1, 2, 3
# CHECK: [[#@LINE-1]]:1: error: cannot unpack 3 values into 2 names
print(N)
# CHECK: [[#@LINE-1]]:1: error: this needs a Python interpreter: a statement outside of the module

@T.prim_func
def f(A: T.Buffer((N, M), "float32")):
    A[0, 0] = T.float32(x)
