# Floor division and remainders need integers; a plain FloorDiv of floats prints so that it can be read.
# RUN: not %relayopt --split-input-file %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((2,), "float32")):
    A[0] = A[1] // T.float32(2)
# CHECK: :[[@LINE-1]]:12: error: an operand of an integer division must be an integer, but is float32

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((2,), "float32")):
    A[0] = T.truncdiv(A[1], T.float32(2))
# CHECK: error: an operand of an integer division must be an integer, but is float32

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((2,), "float32")):
    A[0] = T.floormod(A[1], T.float32(2))
# CHECK: error: an operand of an integer division must be an integer, but is float32
