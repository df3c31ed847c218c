# Text that is made of no tokens.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def c(A: T.Buffer((16,), "int32")):
    A[0] = 99999999999999999999999
# CHECK: [[#@LINE-1]]:12: error: integer 99999999999999999999999 does not fit 64 bits [script-integer-range]
    A[0] = 0x
# CHECK: [[#@LINE-1]]:12: error: malformed number '0x' [script-number]
    T.evaluate("\xg")
# CHECK: [[#@LINE-1]]:16: error: malformed escape in a string [script-escape]
    A[0] = 1 ? 2
# CHECK: [[#@LINE-1]]:14: error: no token of TVMScript begins with '?' [script-character]
# CHECK: [[#@LINE-2]]:14: error: expected the end of the line, found an unknown character [script-expected]
    A[0] = T.reinterpret_cast(1)
# CHECK: [[#@LINE-1]]:14: error: module 'tvm.script.parser.tir' has no attribute 'reinterpret_cast' (did you mean 'reinterpret'?) [script-attribute]
    T.min
# CHECK: [[#@LINE-1]]:5: error: Parsing resulted in unexpected type a function [script-unexpected-type]
  A[0] = 1
# CHECK: [[#@LINE-1]]:3: error: this indentation belongs to no enclosing block [script-indentation]
