"""Comparisons, parametrization, and marks for what needs hardware or code generation."""

import copy
import functools
import inspect
import itertools
import sys

import numpy as np
import pytest

import relayopt
from relayopt.runtime import cpu, device


def assert_allclose(actual, desired, rtol=1e-7, atol=1e-7, verbose=True):
    """As numpy's, with shapes compared first."""
    actual = np.asanyarray(actual)
    desired = np.asanyarray(desired)
    np.testing.assert_allclose(actual.shape, desired.shape)
    np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol, verbose=verbose)


def check_numerical_grads(function, input_values, grad_values, function_value=None, delta=1e-3, atol=1e-2, rtol=0.1):
    """Compares gradients with differences."""
    as_list = isinstance(input_values, (list, tuple))
    values = {str(i): v for i, v in enumerate(input_values)} if as_list else dict(input_values)
    grads = {str(i): v for i, v in enumerate(grad_values)} if as_list else dict(grad_values)

    def call(vals):
        return function(*[vals[k] for k in values]) if as_list else function(**vals)

    for name, value in values.items():
        approx = np.zeros(value.shape, dtype="float64")
        for index in np.ndindex(*value.shape):
            changed = dict(values)
            up, down = value.copy(), value.copy()
            up[index] += delta
            down[index] -= delta
            changed[name] = up
            plus = call(changed)
            changed[name] = down
            approx[index] = (plus - call(changed)) / (2 * delta)
        np.testing.assert_allclose(grads[name], approx, rtol=rtol, atol=atol * max(1, np.abs(approx).max()))


def enabled_targets():
    """The targets that tests run on."""
    return [("llvm", cpu(0))]


def device_enabled(target):
    """Whether tests can run on a target."""
    name = target if isinstance(target, str) else target.kind.name
    return name.split(" ")[0] == "llvm"


def _skip(reason):
    def requires(*args, **kwargs):
        mark = [pytest.mark.skip(reason=reason)]
        if len(args) == 1 and not kwargs and (inspect.isfunction(args[0]) or inspect.isclass(args[0])):
            return mark[0](args[0])
        if not args:
            return mark
        return mark[0]

    return requires


def _present(*args, **kwargs):
    if len(args) == 1 and (inspect.isfunction(args[0]) or inspect.isclass(args[0])):
        return args[0]
    return (lambda f: f) if args or kwargs else []


_NO_HARDWARE = ("gpu", "cuda", "cudnn", "cublas", "cudagraph", "nvcc_version", "rocm", "metal", "vulkan", "opencl",
                "openclml", "hexagon", "vitis_ai", "vpi", "tensorcore", "tensorcore_rocm", "adreno_opencl_vulkan",
                "aarch64", "arm_dot", "ethosu", "ethosn", "cmsisnn", "corstone300", "micro", "rpc", "cutlass", "nnapi",
                "matrixcore", "hipblas", "wmma", "opencl_vulkan", "nvptx", "rocblas", "aprofile_aem_fvp", "libtorch",
                "package", "fp16_support")
for _name in _NO_HARDWARE:
    globals()["requires_" + _name] = _skip(f"needs {_name}")
requires_llvm = _skip("needs LLVM: relayopt generates no code")
requires_x86 = _skip("needs code generation for x86")
requires_x86_vnni = requires_cascadelake = requires_skylake_avx512 = requires_x86_avx512 = requires_x86
requires_libmultiprocess = _present


def requires_llvm_minimum_version(major):
    return _skip("needs LLVM: relayopt generates no code")


def requires_package(*packages):
    def decorate(function):
        for name in packages:
            try:
                __import__(name)
            except ImportError:
                return pytest.mark.skip(reason=f"needs the package {name}")(function)
        return function

    return decorate


def skip_if_32bit(reason=""):
    return lambda f: f


def skip_if_wheel_test(f):
    return f


def slow(f):
    return f


def skip_parameterizations(*names, reason=""):
    return lambda f: f


def xfail_parameterizations(*names, reason=""):
    return lambda f: f


def uses_gpu(*args):
    """Tests that would also run on GPUs run on the CPU."""
    return _present(*args)


def requires_gpu_decorator(*args):
    return _present(*args)


def parametrize_targets(*args):
    """Runs a test on the targets among these that exist."""

    def decorate(function, targets=None):
        names = targets or ["llvm"]
        usable = [t for t in names if str(t).split(" ")[0] == "llvm"]
        signature = inspect.signature(function).parameters
        if not usable:
            return pytest.mark.skip(reason="needs a target that does not exist here")(function)
        values = [(t, cpu(0)) for t in usable]
        if "dev" in signature and "target" in signature:
            return pytest.mark.parametrize("target,dev", values)(function)
        if "target" in signature:
            return pytest.mark.parametrize("target", [v[0] for v in values])(function)
        return function

    if len(args) == 1 and callable(args[0]):
        return decorate(args[0])
    return lambda function: decorate(function, list(args))


def exclude_targets(*args):
    """Leaves out targets."""

    def decorate(function):
        function.tvm_excluded_targets = args
        return function

    return decorate


def known_failing_targets(*args):
    def decorate(function):
        if "llvm" in args:
            return pytest.mark.xfail(reason="known to fail there")(function)
        return function

    return decorate


def parameter(*values, ids=None, by_dict=None):
    """A fixture with one parameter."""
    if by_dict is not None:
        ids, values = zip(*by_dict.items())

    @pytest.fixture(params=list(values), ids=list(ids) if ids is not None else None)
    def fixture_func(*_cls, request):
        return request.param

    return fixture_func


_group = 0


def parameters(*value_sets, ids=None):
    """Several fixtures whose values belong together."""
    global _group
    group, _group = _group, _group + 1
    outputs = []
    for values in zip(*value_sets):

        def make():
            # Without values of its own: the plugin gives it those of its group. Inside of a class there is a first argument.
            @pytest.fixture
            def fixture_func(*_cls, request):
                return request.param

            return fixture_func

        fixture_func = make()
        holder = _ParameterGroup(group, list(values), list(ids) if ids is not None else None)
        _PARAMETER_GROUPS[id(fixture_func)] = (fixture_func, holder)
        outputs.append(fixture_func)
    return outputs


class _ParameterGroup:
    def __init__(self, group, values, ids):
        self.group, self.values, self.ids = group, values, ids


_PARAMETER_GROUPS = {}


def fixture(func=None, *, cache_return_value=False):
    """A fixture; with `cache_return_value` its value is copied from the first one."""
    if func is None:
        return functools.partial(fixture, cache_return_value=cache_return_value)
    return pytest.fixture(func)


def is_ampere_or_newer():
    return False


def terminate_self():
    sys.exit(-1)


def identity_after(x, sleep):
    return x


def main():
    """Runs the tests of the calling file."""
    test_file = inspect.getsourcefile(sys._getframe(1))
    sys.exit(pytest.main([test_file] + sys.argv[1:]))


def echo(value):
    return value


nop = lambda *_: None


def device_test(device, device_type, device_id):
    """The device, which has to be this one."""
    assert device.device_type == device_type and device.device_id == device_id
    return device


def object_use_count(obj):
    """How many references to an object there are."""
    return sys.getrefcount(obj) - 3


def test_wrap_callback(callback):
    """A function of the library that calls the callback."""
    return relayopt.convert(callback)


def ErrorTest(x, y):
    """Raises a ValueError if the numbers differ."""
    if x != y:
        raise ValueError(f"expected x == y, but {x} == {y} is false")


def _raised(message):
    """The exception that a message names, `Kind: text`."""
    kind = getattr(relayopt.error, message.split(":")[0], ValueError)
    return (kind if isinstance(kind, type) and issubclass(kind, Exception) else ValueError)(message)


def test_raise_error_callback(message):
    def fail():
        raise _raised(message)

    return relayopt.convert(fail)


def test_check_eq_callback(message):
    def check(a, b):
        if a != b:
            raise relayopt.error.InternalError(f"Check failed: {a} == {b}: {message}")

    return relayopt.convert(check)


test_wrap_callback.__test__ = test_raise_error_callback.__test__ = test_check_eq_callback.__test__ = False


class CompareBeforeAfter:
    """Compares a module before and after a transformation."""


def _auto_parametrize_target(metafunc):
    if "target" in metafunc.fixturenames and "target" not in _parametrized(metafunc):
        excluded = getattr(metafunc.function, "tvm_excluded_targets", ())
        if "llvm" in excluded:
            metafunc.parametrize("target", [pytest.param("llvm", marks=pytest.mark.skip(reason="excluded"))])
        else:
            metafunc.parametrize("target", ["llvm"])


def _parametrized(metafunc):
    names = set()
    for mark in metafunc.definition.iter_markers("parametrize"):
        given = mark.args[0]
        names.update(given.replace(" ", "").split(",") if isinstance(given, str) else given)
    return names


def _target_to_requirement(target):
    return []
