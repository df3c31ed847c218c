# Only functions of the host ask for contexts once.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.CombineContextCall %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    T.func_attr({"target": T.target("cuda")})
    T.call_extern("int32", "f", T.tvm_thread_context(T.call_extern("handle", "c"), dtype="handle"))
    T.call_extern("int32", "g", T.tvm_thread_context(T.call_extern("handle", "c"), dtype="handle"))
