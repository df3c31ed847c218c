"""The pytest plugin: fixtures `target` and `dev`, and groups of parameters."""

import pytest

from relayopt.runtime import cpu

from . import utils


@pytest.fixture
def dev(target):
    """The device of the target."""
    if isinstance(target, (tuple, list)):
        return target[1]
    return cpu(0)


def _fixture_definitions(metafunc):
    for name in list(metafunc.fixturenames):
        definitions = metafunc._arg2fixturedefs.get(name, ())
        if definitions:
            yield name, definitions[-1]


def _group_of(definition):
    function = getattr(definition.func, "__func__", definition.func)
    for fixture_func, holder in utils._PARAMETER_GROUPS.values():
        candidates = [fixture_func, getattr(fixture_func, "__wrapped__", None),
                      getattr(fixture_func, "_fixture_function", None)]
        getter = getattr(fixture_func, "_get_wrapped_function", None)
        if getter is not None:
            candidates.append(getter())
        if any(candidate is function for candidate in candidates):
            return holder
    return None


def pytest_generate_tests(metafunc):
    """Parametrizes over targets and over groups of parameters."""
    utils._auto_parametrize_target(metafunc)
    groups = {}
    for name, definition in _fixture_definitions(metafunc):
        holder = _group_of(definition)
        if holder is not None:
            groups.setdefault(holder.group, []).append((name, holder))
    for members in groups.values():
        names = [name for name, _ in members]
        rows = list(zip(*[holder.values for _, holder in members]))
        metafunc.parametrize(",".join(names), [row if len(names) > 1 else row[0] for row in rows], indirect=True,
                             ids=members[0][1].ids)


def pytest_configure(config):
    """Marks that TVM's tests use."""
    for mark in ("gpu", "tensorcore", "cuda", "opencl", "rocm", "vulkan", "metal", "llvm", "hexagon", "slow", "skip_on_ci"):
        config.addinivalue_line("markers", f"{mark}: tests that need it")


@pytest.fixture(autouse=True)
def _fresh_default_context():
    """Instruments that a test puts into the default context do not stay there."""
    yield
    from relayopt.ir.transform import PassContext

    PassContext._stack()
    PassContext._local.stack.clear()
    PassContext._local.default._instruments = []
