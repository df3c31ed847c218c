# A loop without the annotations stays, in whatever form its body is.
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in T.serial(8, annotations={"software_pipeline_async_stages": [0]}):
        with T.block(""):
            vi = T.axis.spatial(8, i)
            S = T.alloc_buffer((1,), "float32")
            S[0] = A[vi]
            C[vi] = S[0]
# CHECK:      for i in T.serial(8, annotations={"software_pipeline_async_stages": [0]}):
# CHECK:        S = T.alloc_buffer((1,))
# CHECK-NEXT:   S[0] = A[vi]
# CHECK-NEXT:   C[vi] = S[0]
