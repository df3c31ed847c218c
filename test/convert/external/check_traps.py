"""What TVM 0.27 does that relayopt has to avoid, asserted in the TVM that is installed.

usage: check_traps.py

Each trap is a function that is true as long as the trap is there. Prints those that are gone, or that cannot be tried any
more: what is written because of them can be simplified then; exit status 1. The names are those of the comments in
lib/convert where the traps are avoided.
"""

import os
import sys

import numpy as np

import tvm
from tvm.script import relax as R

from runs import check

def module_of(signature, expression):
    """A module whose main(x, ...) is one expression; its result type is left to inference."""
    return tvm.script.from_source(f"""
@I.ir_module
class Module:
    @R.function
    def main({signature}):
        with R.dataflow():
            lv = {expression}
            R.output(lv)
        return lv
""")


def tensor(*shape, dtype="float32"):
    extents = ", ".join(str(extent) for extent in shape) + ("," if len(shape) == 1 else "")
    return f'R.Tensor(({extents}), dtype="{dtype}")'


def run(signature, expression, *arrays):
    machine = tvm.relax.VirtualMachine(tvm.compile(module_of(signature, expression), target="llvm"), tvm.cpu())
    result = machine["main"](*[tvm.runtime.tensor(array) for array in arrays])
    return result.numpy() if isinstance(result, tvm.runtime.Tensor) else [field.numpy() for field in result]


def fails(action):
    try:
        action()
    except BaseException:  # pylint: disable=broad-except
        return True
    return False


def fails_beside(bad, good):
    """That the one cannot be run, and it is not for what it has in common with the other, which can."""
    return fails(lambda: run(*bad)) and not fails(lambda: run(*good))


def fails_for(dtype, good, expression):
    """That the expression of x cannot be run for one type of elements, but for another."""
    return fails_beside(*(("x: " + tensor(2, dtype=each), expression, array(1, 0, dtype=each)) for each in (dtype, good)))


def array(*numbers, dtype="float32"):
    return np.array(numbers, dtype=dtype)


def round_takes_halves_to_even():
    return run("x: " + tensor(2), "R.round(x)", array(0.5, 2.5)).tolist() == [0, 2]


def integers_have_no_exp():
    return fails_for("int32", "float32", "R.exp(x)")


def bools_do_not_multiply():
    return fails_for("bool", "int32", "R.multiply(x, x)")


def conditions_of_where_are_bools():
    return fails_for("int32", "bool", "R.where(x, x, x)")


def int8_is_not_sorted():
    return fails_for("int8", "int32", "R.sort(x)")


def padding_in_other_modes_is_zero():
    edge = run("x: " + tensor(2), 'R.nn.pad(x, pad_width=[1, 1], pad_mode="edge")', array(5, 6))
    return edge.tolist() == [0, 5, 6, 0]


def other_layouts_of_results_are_not_built():
    data, weight = np.ones((1, 2, 4, 4), "float32"), np.ones((2, 2, 3, 3), "float32")
    signature = f"x: {tensor(1, 2, 4, 4)}, w: {tensor(2, 2, 3, 3)}"
    calls = (f'R.nn.conv2d(x, w, data_layout="NCHW", kernel_layout="OIHW", out_layout="{to}")' for to in ("NHWC", "NCHW"))
    return fails_beside(*((signature, call, data, weight) for call in calls))


def norms_ignore_center_and_scale():
    signature = f"x: {tensor(1, 2)}, g: {tensor(2)}, b: {tensor(2)}"
    arrays = np.array([[1, 3]], "float32"), array(2, 2), array(7, 7)
    off = run(signature, "R.nn.layer_norm(x, g, b, axes=[-1], center=False, scale=False)", *arrays)
    on = run(signature, "R.nn.layer_norm(x, g, b, axes=[-1])", *arrays)
    return np.array_equal(off, on)


def batch_norm_trains_by_default():
    signature = f"x: {tensor(2, 1)}, " + ", ".join(f"{name}: {tensor(1)}" for name in "gbmv")
    arrays = np.array([[1], [3]], "float32"), array(1), array(0), array(0), array(1)
    return not np.allclose(run(signature, "R.nn.batch_norm(x, g, b, m, v, axis=1)[0]", *arrays), arrays[0], atol=0.1)


def take_is_fast_by_default():
    return 'mode="fast"' in module_of(f"x: {tensor(3)}, i: {tensor(1, dtype='int64')}", "R.take(x, i, axis=0)").script()


def leakyrelu_has_another_default():
    return np.allclose(run("x: " + tensor(1), "R.nn.leakyrelu(x)", array(-1)), -0.01)


def pools_differ_in_defaults():
    data = np.ones((1, 1, 2), "float32")
    counted = run("x: " + tensor(1, 1, 2), "R.nn.avg_pool1d(x, pool_size=[2], strides=[2], padding=[1, 1])", data)
    square = np.ones((1, 1, 2, 2), "float32")
    call = "R.nn.avg_pool2d(x, pool_size=[2, 2], strides=[2, 2], padding=[1, 1, 1, 1])"
    return counted.min() == 0.5 and run("x: " + tensor(1, 1, 2, 2), call, square).min() == 1


def splitting_into_one_is_no_tuple():
    return isinstance(run("x: " + tensor(2), "R.split(x, 1, axis=0)", array(1, 2)), np.ndarray)


def rounding_up_drops_windows_of_padding():
    call = "R.nn.max_pool1d(x, pool_size=[1], strides=[3], padding=[0, 2], ceil_mode=True)"
    # Relay has windows at 0, 3 and 6, the last of which begins in the padding.
    return run("x: " + tensor(1, 1, 5), call, np.ones((1, 1, 5), "float32")).shape[2] == 2


def argmax_is_int64():
    return run("x: " + tensor(2), "R.argmax(x, axis=0)", array(1, 2)).dtype == np.int64


def indices_of_gather_nd_stand_last():
    signature = f"x: {tensor(2, 3)}, i: {tensor(1, 2, dtype='int64')}"
    arrays = np.arange(6, dtype="float32").reshape(2, 3), np.array([[1, 2]], "int64")
    return run(signature, "R.gather_nd(x, i)", *arrays).tolist() == [5]


def variance_is_biased():
    return np.allclose(run("x: " + tensor(2), "R.variance(x, axis=[0])", array(1, 3)), 1)


def ewise_fma_is_not_built():
    return hasattr(R, "ewise_fma") and fails(lambda: run("x: " + tensor(2), "R.ewise_fma(x, x, x)", array(1, 2)))


def reshape_wants_numbers():
    shape = np.array([2, 1], "int64")
    signature = f"x: {tensor(2)}, s: {tensor(2, dtype='int64')}"
    calls = ("R.reshape(x, s)", "R.reshape(R.add(x, x), (2, 1))")
    return fails_beside(*((signature, call, array(1, 2), shape) for call in calls))


def no_axes_are_not_all_axes():
    return run("x: " + tensor(2), "R.sum(x, axis=[])", array(1, 2)).shape == (2,)


def two_names_of_extents_never_meet():
    signatures = (f'x: R.Tensor(("n", 3), dtype="float32"), y: R.Tensor(("{name}", 3), dtype="float32")' for name in "mn")
    ones = np.ones((2, 3), "float32")
    return fails_beside(*((signature, "R.add(x, y)", ones, ones) for signature in signatures))


def computed_limits_of_boxes_are_ignored():
    boxes = np.array([[[0, 0, 1, 1], [2, 2, 3, 3]]], "float32")
    scores = np.array([[[0.9, 0.8]]], "float32")
    signature = f"b: {tensor(1, 2, 4)}, s: {tensor(1, 1, 2)}, k: {tensor(dtype='int64')}"
    call = ('R.vision.all_class_non_max_suppression(b, s, k, R.const(0.5, "float32"), R.const(0.0, "float32"), '
            'output_format="onnx")')
    return run(signature, call, boxes, scores, np.array(1, "int64"))[1].tolist() == [2]


def truth_values_do_not_compare():
    names = "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"
    return all(fails_for("bool", "int32", f"R.{name}(x, x)") for name in names)


def storage_of_a_branch_is_used_behind_it():
    """The process crashes, taken or not: it has to be another one."""
    def ends_well(branch):
        machine = tvm.relax.VirtualMachine(tvm.compile(tvm.script.from_source(f"""
@I.ir_module
class Module:
    @R.function
    def main(c: {tensor(dtype="bool")}, x: {tensor(2)}) -> {tensor(2)}:
        if c:
            with R.dataflow():
                y = {branch}
                R.output(y)
            z = y
        else:
            z = x
        with R.dataflow():
            e = R.divide(z, R.sum(z))
            R.output(e)
        return e
"""), target="llvm"), tvm.cpu())
        child = os.fork()
        if child == 0:
            machine["main"](tvm.runtime.tensor(np.array(True)), tvm.runtime.tensor(array(1, 0)))
            os._exit(0)
        return os.waitpid(child, 0)[1] == 0

    return ends_well("R.exp(x)") and not ends_well("R.divide(x, R.sum(x))")


def constants_are_not_printed_to_be_read():
    module = module_of("x: " + tensor(2), "R.add(x, x)")
    bound = tvm.relax.transform.BindParams("main", {"x": tvm.runtime.tensor(array(1, 2))})(module)
    tvm.script.from_source(module.script())
    return fails(lambda: tvm.script.from_source(bound.script()))


TRAPS = [
    round_takes_halves_to_even, integers_have_no_exp, bools_do_not_multiply, conditions_of_where_are_bools,
    int8_is_not_sorted, padding_in_other_modes_is_zero, other_layouts_of_results_are_not_built,
    norms_ignore_center_and_scale, batch_norm_trains_by_default, take_is_fast_by_default, leakyrelu_has_another_default,
    pools_differ_in_defaults, splitting_into_one_is_no_tuple, rounding_up_drops_windows_of_padding, argmax_is_int64,
    indices_of_gather_nd_stand_last, variance_is_biased, ewise_fma_is_not_built, reshape_wants_numbers,
    no_axes_are_not_all_axes, two_names_of_extents_never_meet, computed_limits_of_boxes_are_ignored,
    constants_are_not_printed_to_be_read, truth_values_do_not_compare, storage_of_a_branch_is_used_behind_it,
]


def main():
    there = 0
    for name, _, kind, why in check([(trap.__name__, trap) for trap in TRAPS],
                                    lambda trap: "" if trap() else "the trap is gone"):
        there += kind == "equal"
        if why:
            print(f"{name}\n    {kind}: {why[-800:]}", flush=True)
    print(f"{there} of {len(TRAPS)} traps are there")
    return 0 if there == len(TRAPS) else 1


if __name__ == "__main__":
    sys.exit(main())
