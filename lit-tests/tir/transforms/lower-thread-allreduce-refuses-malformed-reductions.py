# A reduction says what it combines, into elements of its own, over threads of a known number.
# RUN: %relayopt --passes=tir.LowerThreadAllreduce --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):  # expected-error {{LowerThreadAllreduce: the function @main has no attribute target}}
    A[0] = T.float32(0)

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    B = T.decl_buffer((1,), scope="local")
    with T.launch_thread("threadIdx.x", 32) as tx:
        with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
            T.tvm_thread_allreduce(T.uint32(2), A[tx], T.bool(True), B[0], tx)  # expected-error {{T.tvm_thread_allreduce needs the number of values, values, a condition, elements of buffers for the results, and threads}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), n: T.int32):
    T.func_attr({"target": T.target("cuda")})
    B = T.decl_buffer((1,), scope="local")
    with T.launch_thread("threadIdx.x", n) as tx:
        with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
            T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), B[0], tx)  # expected-error {{the extent of threadIdx.x has to be a literal for a reduction over threads}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    B = T.decl_buffer((1,), scope="local")
    v = T.int32()
    with T.attr(T.iter_var(v, None, "ThreadIndex", "vthread"), "thread_extent", 2):
        with T.launch_thread("threadIdx.x", 32) as tx:
            with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), B[0], tx)  # expected-error {{vthread do not work with cross thread reduction}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    B = T.decl_buffer((1,), scope="local")
    with T.launch_thread("threadIdx.x", 32) as tx:
        with T.attr(T.comm_reducer(lambda x0, x1, y0, y1: (x0 + y0, x1 + y1), [T.float32(0), T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
            T.tvm_thread_allreduce(T.uint32(2), A[tx], A[tx], T.bool(True), B[0], B[0], tx)  # expected-error {{B is the result of two reductions}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    B = T.decl_buffer((2,), scope="local")
    with T.launch_thread("threadIdx.x", 32) as tx:
        with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
            T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), B[0], tx)
        A[tx] = B[1]  # expected-error {{the result B of a reduction over threads has one element only}}
