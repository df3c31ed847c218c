"""Prints a program with software pipelines inside of each other: nested_pipelines.py DEPTH."""
import sys

depth = int(sys.argv[1])
print('from tvm.script import tir as T\n\n@T.prim_func\ndef main(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):')
notes = '{"software_pipeline_stage": %s, "software_pipeline_order": %s}'
for level in range(depth):
    # A pipeline inside counts as three statements.
    count = 2 if level == depth - 1 else 4
    stages = [0] * (count - 1) + [1]
    print('    ' * (level + 1) + f'for i{level} in T.serial(4, annotations={notes % (stages, list(range(count)))}):')
    print('    ' * (level + 2) + f'T.evaluate(T.call_extern("int32", "step", i{level}))')
print('    ' * (depth + 1) + f'T.evaluate(T.call_extern("int32", "last"))')
