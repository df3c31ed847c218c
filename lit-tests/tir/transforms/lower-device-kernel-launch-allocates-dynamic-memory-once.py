# A launch has one number of bytes of dynamic shared memory.
# RUN: %relayopt --passes=tir.LowerDeviceKernelLaunch --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.handle("float32")):
    T.func_attr({"target": T.target("cuda")})
    t = T.launch_thread("threadIdx.x", 4)
    b = T.allocate([4], "float32", "shared.dyn")
    c = T.allocate([4], "float32", "shared.dyn")  # expected-error {{@main allocates dynamic shared memory several times; only one such allocation is allowed}}
    T.evaluate(0)
