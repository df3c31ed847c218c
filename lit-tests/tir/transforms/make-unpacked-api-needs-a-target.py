# Which machine is called decides how.
# RUN: %relayopt --passes=tir.MakeUnpackedAPI --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):  # expected-error {{MakeUnpackedAPI: the function @main has no attribute target}}
    T.func_attr({"global_symbol": "main"})
    A[0] = T.float32(1)
