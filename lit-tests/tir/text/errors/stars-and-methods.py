# RUN: %relayopt --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 4), "int8")):
    T.evaluate(A.access_ptr("x"))  # expected-error {{expected "r", "w" or "rw", found x}}
    T.evaluate(A.access_ptr())  # expected-error {{T.Buffer.access_ptr needs the argument access_mask}}
    T.evaluate(A.access_ptr("r", content_lanes=0))  # expected-error {{expected a number of lanes, found 0}}
    T.evaluate(A.access_ptr("r", length=0))  # expected-error {{T.Buffer.access_ptr has no argument length}}
    T.evaluate(A.offset_of([1])[0])  # expected-error {{Buffer A is 2-dimensional, cannot be indexed with the 1-dimensional indices provided.}}
    A.vstore([1], T.int8(1))  # expected-error {{Buffer A is 2-dimensional}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    T.evaluate(T.meta_var(n) + 1)  # expected-error {{Expected type PrimExpr but got T.meta_var}}
    T.evaluate(T.max(*n, 1))  # expected-error {{expected a sequence}}
    x = *n  # expected-error {{this needs a Python interpreter}}

// -----

from tvm.script import tir as T

@T.prim_func
def main():
    for *a, *b in T.grid(2, 3):  # expected-error {{expected}}
        T.evaluate(0)

// -----

from tvm.script import tir as T

@T.prim_func
def main():
    for a, *b, c in T.grid(2):  # expected-error {{cannot unpack 1 values into 3 names}}
        T.evaluate(0)
