# The offset of a pointer to versioned memory grows by the elements of a version, from the first iteration on.
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((9, 4), "float32")):
    for i in T.serial(1, 9, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        with T.block(""):
            T.reads(A[i, 0:4])
            T.writes()
            S = T.alloc_buffer((4,), "float32", scope="shared")
            for j in range(4):
                S[j] = A[i, j]
            with T.block("use"):
                T.reads(S[0:4])
                T.writes()
                T.evaluate(T.call_extern("int32", "use", T.tvm_access_ptr(T.type_annotation("float32"), S.data, 1, 2, 1)))
# CHECK: for i in range(1, 8):
# CHECK:   T.call_extern("int32", "use", T.tvm_access_ptr(T.type_annotation("float32"), S.data, 1 + (i - 1 + 1 - 1) % 2 * 4, 2, 1))
