# Variables of TVM 0.27 that change: declared, bound to a first value, or a parameter of one element; T.let ones do not.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def main(p: T.handle("float32", "global"), A: T.Buffer((1,), "float32"), W: T.Buffer(("n * 2", n + 1), "float32"), n: T.int32):
        there = T.decl_scalar(T.float32, data=p, elem_offset=0, scope="global")
        there = T.reinterpret(T.float32().ty, n)
        v: T.float32 = W[0, 0]
        x: T.int32
        x = n
        for i in range(n):
            v = v + W[i, 0] + A
            x += 1
        y = v * T.float32(2)
        z = y
        A = z
        W[x, 0] = T.call_extern("float32", "f", A.source.data, A)
        q: T.let[T.float32] = v
        h: T.let = A
        W[1, 1] = q + h
# CHECK: W = T.match_buffer(W_handle, (n * 2, n + 1))
# CHECK: there_1 = T.decl_buffer((1,), data=there)
# CHECK-NEXT: there_1[0] = T.reinterpret("float32", n)
# CHECK-NEXT: v = T.decl_buffer((1,), scope="local")
# CHECK-NEXT: v[0] = W[0, 0]
# CHECK-NEXT: x = T.decl_buffer((1,), "int32", scope="local")
# CHECK-NEXT: x[0] = n
# CHECK-NEXT: for i in range(n):
# CHECK-NEXT: v[0] = v[0] + W[i, 0] + A[0]
# CHECK-NEXT: x[0] = x[0] + 1
# CHECK-NEXT: y = T.decl_buffer((1,), scope="local")
# CHECK-NEXT: y[0] = v[0] * T.float32(2)
# CHECK-NEXT: z = T.decl_buffer((1,), scope="local")
# CHECK-NEXT: z[0] = y[0]
# CHECK-NEXT: A[0] = z[0]
# CHECK-NEXT: W[x[0], 0] = T.call_extern("float32", "f", A.data, A[0])
# CHECK-NEXT: q: T.float32 = v[0]
# CHECK-NEXT: h: T.float32 = A[0]
# CHECK-NEXT: W[1, 1] = q + h
