# A function of the module that does not copy as it is told makes a mismatch: only functions outside are taken at their word.
# RUN: rm -rf %t && mkdir -p %t && cd %t
# RUN: not %relayopt --passes='tir.InjectCopyIntrin<pragma_key=copy;fintrin=copy_1d>,tir.MakePackedAPI' --validate=final --disable-output %s 2>&1 | FileCheck %s
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
                B[i] = A[i + 4]

    @T.prim_func
    def copy_1d(src: T.handle, dst: T.handle):
        T.func_attr({"global_symbol": "copy_1d", "target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
        n = T.int32()
        X = T.match_buffer(src, (n,), "float32", strides=(1,), offset_factor=1)
        Y = T.match_buffer(dst, (n,), "float32", strides=(1,), offset_factor=1)
        for i in range(n - 1):
            Y[i] = X[i]
# CHECK: MISMATCH  main: buffer B: output 0 [9]
