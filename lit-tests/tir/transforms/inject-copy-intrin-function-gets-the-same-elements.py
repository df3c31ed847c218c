# A function of the module that copies as it is told computes what the loops computed.
# RUN: %relayopt --passes='tir.InjectCopyIntrin<pragma_key=copy;fintrin=pad_1d>,tir.MakePackedAPI' %s --seed=1 --run > %t
# RUN: %relayopt %s --seed=1 --run | cmp - %t
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, b: T.handle):
        T.func_attr({"global_symbol": "main", "target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
        A = T.match_buffer(a, (40,), "float32")
        B = T.match_buffer(b, (20,), "float32")
        with T.attr(0, "pragma_copy", 1):
            for i in range(10):
                B[i * 2 + 1] = T.if_then_else(2 <= i and i < 9, A[i * 3 + 4], T.float32(7))

    @T.prim_func
    def pad_1d(src: T.handle, dst: T.handle, before: T.int32, after: T.int32, value: T.float32):
        T.func_attr({"global_symbol": "pad_1d", "target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
        n = T.int32()
        m = T.int32()
        s = T.int32()
        t = T.int32()
        X = T.match_buffer(src, (n,), "float32", strides=(s,), offset_factor=1)
        Y = T.match_buffer(dst, (m,), "float32", strides=(t,), offset_factor=1)
        for i in range(m):
            Y[i] = T.if_then_else(before <= i and i < before + n, X[i - before], value)
