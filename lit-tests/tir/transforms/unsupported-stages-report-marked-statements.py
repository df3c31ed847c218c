# RUN: not %relayopt --passes=tir.InjectSoftwarePipeline %s 2>&1 | FileCheck --check-prefix=PIPELINE %s
# RUN: %relayopt --passes='tir.LowerAutoCopy,tir.InjectPermutedLayout' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "bfloat16"), B: T.Buffer((1,), "bfloat16")):
    for i in T.serial(4, annotations={"software_pipeline_stage": [0], "software_pipeline_order": [0]}):
        A[i] = A[i + 1]
    for t in T.thread_binding(16, thread="threadIdx.x"):
        with T.block("sum"):
            vt = T.axis.reduce(16, t)
            T.reads(A[vt])
            T.writes(B[0])
            B[0] = B[0] + A[vt]
# PIPELINE:  error: tir.InjectSoftwarePipeline is not supported: a loop asks for a software pipeline
# CHECK:     for i in T.serial(4
