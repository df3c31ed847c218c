# Vectors are neither passed nor returned, and a parallel loop returns nothing.
# RUN: %relayopt --passes=tir.BindTarget,tir.MakePackedAPI '--target=llvm -host=llvm' --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    T.func_attr({"global_symbol": "main"})
    for i in T.parallel(4):
        T.ret(1)  # expected-error {{T.ret in a parallel loop has no meaning}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    T.func_attr({"global_symbol": "main"})
    T.ret(T.Broadcast(1, 4))  # expected-error {{MakePackedAPI: a value of type int32x4 cannot be returned}}

// -----

# expected-error@unknown {{MakePackedAPI: a parameter of type int32x4 cannot be passed}}
from tvm.script import tir as T

@T.prim_func
def main(a: T.int32x4):
    T.func_attr({"global_symbol": "main"})
    T.evaluate(0)
