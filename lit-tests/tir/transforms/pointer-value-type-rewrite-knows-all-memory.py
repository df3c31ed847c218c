# All memory is declared, with the type of its elements.
# RUN: %relayopt --passes=tir.PointerValueTypeRewrite --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    with T.LetStmt(T.call_extern("handle", "f")) as p:  # expected-error {{the variable p of this let is not a pointer to elements of a known type}}
        T.evaluate(T.call_extern("int32", "g", p))

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    q = T.handle("float32")
    C = T.Buffer((16,), data=q)
    C[0] = A[0]  # expected-error {{the memory of C is accessed before anything declares it}}
