# RUN: %relayopt --passes=tir.CombineContextCall %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    T.func_attr({"target": T.target("llvm")})
    T.call_extern("int32", "f", T.tvm_thread_context(T.call_extern("handle", "c"), dtype="handle"))
    T.call_extern("int32", "g", T.tvm_thread_context(T.call_extern("handle", "c"), dtype="handle"))
    for i in T.parallel(4):
        T.call_extern("int32", "h", T.tvm_thread_context(T.call_extern("handle", "c"), dtype="handle"))
# CHECK:      ctx_cache_: T.handle = T.call_extern("handle", "c")
# CHECK-NEXT: T.call_extern("int32", "f", ctx_cache_)
# CHECK-NEXT: T.call_extern("int32", "g", ctx_cache_)
# CHECK-NEXT: ctx_cache__1: T.handle = T.call_extern("handle", "c")
# CHECK-NEXT: for i in T.parallel(4):
# CHECK-NEXT:     T.call_extern("int32", "h", ctx_cache__1)
