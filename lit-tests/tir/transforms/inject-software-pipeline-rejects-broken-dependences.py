# Stages that run an access before another one that it depends on are an error.
# RUN: %relayopt --passes=tir.InjectSoftwarePipeline --verify-diagnostics --split-input-file %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    # expected-error@+1 {{tir.InjectSoftwarePipeline: statement 1 reads S from statement 0, and its stage and order run it first}}
    for i in T.serial(8, annotations={"software_pipeline_stage": [1, 0], "software_pipeline_order": [0, 1]}):
        with T.block(""):
            T.reads(A[i])
            T.writes(C[i])
            S = T.alloc_buffer((1,), "float32")
            S[0] = A[i]
            C[i] = S[0]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    S = T.alloc_buffer((1,), "float32")
    # Memory around the loop has one version, which the second stage would read too late.
    # expected-error@+1 {{tir.InjectSoftwarePipeline: the stages run statement 0 before statement 1 of an earlier iteration, and both access the same elements of S}}
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        S[0] = A[i]
        C[i] = S[0]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), n: T.int32):
    S = T.alloc_buffer((1,), "float32")
    # The same if the number of iterations is not known.
    # expected-error@+1 {{tir.InjectSoftwarePipeline: the stages run statement 0 before statement 1 of an earlier iteration, and both access the same elements of S}}
    for i in T.serial(n, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        S[0] = A[i]
        C[i] = S[0]

# -----
from tvm.script import tir as T

# Each iteration has elements of its own, so nothing is overtaken.
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    S = T.alloc_buffer((8,), "float32")
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        S[i] = A[i]
        C[i] = S[i]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    # expected-error@+1 {{tir.InjectSoftwarePipeline: a statement reads what several asynchronous stages write: 0 and 1}}
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1, 2], "software_pipeline_order": [0, 1, 2], "software_pipeline_async_stages": [0, 1]}):
        with T.block(""):
            T.reads(A[i])
            T.writes(C[i])
            S = T.alloc_buffer((1,), "float32")
            M = T.alloc_buffer((1,), "float32")
            S[0] = A[i]
            M[0] = A[i]
            C[i] = S[0] + M[0]
