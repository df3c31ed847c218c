# Functions that copy are executed: padding before and after, strides, and conversions agree with the loops, also when the calls are packed and lowered.
# RUN: %relayopt --passes='tir.InjectCopyIntrin<pragma_key=copy;fintrin=my_copy>' --validate=strict --disable-output %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes='tir.BindTarget<target=llvm;host=llvm>,tir.InjectCopyIntrin<pragma_key=copy;fintrin=my_copy>,tir.MakePackedAPI,tir.LowerTVMBuiltin' --validate=strict --disable-output %s 2>&1 | FileCheck --check-prefix=LOWERED %s
# RUN: %relayopt --passes='tir.InjectCopyIntrin<pragma_key=copy;fintrin=my_copy>' %s --seed=1 --run > %t
# RUN: %relayopt %s --seed=1 --run | cmp - %t
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "int8"), n: T.int32):
    T.func_attr({"global_symbol": "main"})
    with T.attr(0, "pragma_copy", 1):
        for i, j in T.grid(4, 10):
            B[i * 10 + j] = T.if_then_else(1 <= j and j < 9, A[i * 8 + j - 1], T.float32(2.5))
    with T.attr(0, "pragma_copy", 1):
        for i, j in T.grid(3, 5):
            C[j * 4 + i] = T.Cast("int8", A[i * 7 + j * 2 + n])
    with T.attr(0, "pragma_copy", 1):
        for i in range(10):
            B[i + 50] = T.Select(i < n, A[i * 3], A[63])


# CHECK: validate: 1 pass: 1 ok (1 bit-exact), 0 mismatches
# LOWERED: validate: 4 passes: {{[34]}} ok ({{[34]}} bit-exact), 0 mismatches, {{[01]}} unchanged, 0 not validated
