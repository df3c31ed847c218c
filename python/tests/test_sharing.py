"""Modules, contexts, sources and sessions that several threads share: every thread gets what one alone would get."""

import concurrent.futures
import gzip
import threading

import numpy as np
import pytest

import relayopt
from relayopt import relay, transform

TEXT = '#[version = "0.0.5"]\n' + "".join(
    f"def @f{i}(%x: Tensor[(4, 8), float32]) {{ tanh(add(nn.relu(%x), nn.relu(%x))) }}\n"
    for i in range(6)) + "def @main(%x: Tensor[(4, 8), float32]) { add(exp(%x), exp(%x)) }\n"
THREADS, ROUNDS = 6, 5


def in_threads(work):
    """The results of `work(thread)` in threads that begin together; what one raises is raised."""
    barrier = threading.Barrier(THREADS)

    def begin(number):
        barrier.wait()
        return [work(number) for _ in range(ROUNDS)]

    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        return [result for results in pool.map(begin, range(THREADS)) for result in results]


@pytest.fixture
def shared():
    return relayopt.loads(TEXT)


PIPELINES = ["EliminateCommonSubexpr", "FastMath,FoldConstant", "FuseOps", "default<O3>", "ToANormalForm", "SimplifyExpr"]


def test_a_module_goes_through_passes_in_several_threads(shared):
    alone = [relayopt.run(relayopt.loads(TEXT), pipeline).astext() for pipeline in PIPELINES]
    for number in range(THREADS):
        assert relayopt.run(shared, PIPELINES[number]).astext() == alone[number]
    made = in_threads(lambda number: (number, relayopt.run(shared, PIPELINES[number]).astext()))
    assert made == [(number, alone[number]) for number in range(THREADS) for _ in range(ROUNDS)]


def test_the_objects_of_a_module_are_made_once(shared):
    bodies = in_threads(lambda number: shared["f3"].body)
    assert all(body is bodies[0] for body in bodies)
    types = in_threads(lambda number: str(shared["main"].checked_type))
    assert set(types) == {types[0]}


def test_a_module_is_changed_in_one_thread_while_others_read_a_copy(shared):
    before = shared.astext()

    def work(number):
        copy = relayopt.IRModule(shared.functions)
        copy["main"] = relay.Function([], relay.const(float(number)))
        return copy["main"].body.data.numpy().item(), shared.astext() == before

    assert in_threads(work) == [(float(number), True) for number in range(THREADS) for _ in range(ROUNDS)]


def test_a_context_serves_several_threads(shared):
    context = transform.PassContext(opt_level=3, threads=2)
    pipeline = relayopt.pipeline("EliminateCommonSubexpr,FuseOps")

    def work(number):
        with context:
            return pipeline(shared).astext()

    assert len(set(in_threads(work))) == 1


def test_strictness_belongs_to_the_context_of_a_thread(shared):
    # Copies of a module share a context of the core: what one thread asks for does not reach another.
    alone = {strict: relayopt.run(shared, "FastMath", strict_fp=strict).astext() for strict in (False, True)}
    assert "fast_exp" in alone[False] and "fast_exp" not in alone[True]
    made = in_threads(lambda number: (number % 2, relayopt.run(shared, "FastMath", strict_fp=bool(number % 2)).astext()))
    assert all(text == alone[bool(strict)] for strict, text in made)


@pytest.mark.parametrize("ending", ["relay", "onnx", "json", "rlyb", "relay.gz"])
def test_one_file_is_read_by_several_threads(ending, tmp_path):
    mod = relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(4, 8), float32]) { nn.relu(exp(%x)) }')
    path = tmp_path / f"m.{ending}"
    if ending.endswith(".gz"):
        path.write_bytes(gzip.compress(relayopt.dumps(mod).encode()))
    else:
        relayopt.save(mod, path)
    assert len(set(in_threads(lambda number: relayopt.load(path).astext()))) == 1


def test_one_file_is_written_by_several_threads_and_is_whole(shared, tmp_path):
    path = tmp_path / "m.relay"
    in_threads(lambda number: relayopt.save(shared, path))
    assert relayopt.load(path).astext() == shared.astext() and [p.name for p in tmp_path.iterdir()] == ["m.relay"]


def test_what_modules_cost_and_how_they_differ_is_the_same_in_all_threads(shared):
    other = relayopt.run(shared, "EliminateCommonSubexpr")

    def work(number):
        return (repr(relayopt.summary(shared)), repr(relayopt.diff(shared, other)),
                bool(relayopt.equiv(shared, other)))

    assert len(set(in_threads(work))) == 1


def test_errors_stay_in_their_thread():
    def work(number):
        text = f'#[version = "0.0.5"] def @main(%x: Tensor[({number + 1}), float32], %y: Tensor[(99), float32]) {{ add(%x, %y) }}'
        try:
            relayopt.loads(text, f"t{number}.relay")
        except relayopt.DiagnosticError as error:
            return number == 0 or f"t{number}.relay" in str(error)
        return number == 0

    assert all(in_threads(work))


def test_an_executor_computes_in_several_threads(shared):
    run = relay.create_executor("graph", shared).evaluate()
    results = in_threads(lambda number: (number, run(np.full((4, 8), number / 8, "float32")).numpy()))
    for number, result in results:
        np.testing.assert_allclose(result, np.full((4, 8), 2 * np.exp(number / 8)), rtol=1e-5)


def test_callbacks_of_several_threads_are_their_own(shared):
    def work(number):
        seen = []

        @relay.transform.function_pass(opt_level=0)
        def note(function, mod, ctx):
            seen.append(number)
            return function

        note(shared)
        return seen

    assert in_threads(work) == [[number] * 7 for number in range(THREADS) for _ in range(ROUNDS)]


@pytest.mark.parametrize("instrument", [relayopt.instrument.Trace(), relayopt.instrument.PassTimingInstrument()])
def test_instruments_keep_the_passes_of_threads_apart(instrument):
    passes = [relay.transform.EliminateCommonSubexpr(), relay.transform.FoldConstant(), relay.transform.FuseOps()]
    mod = relay.parse('#[version = "0.0.5"] def @main(%x: int32) { (-%x) * (-%x) }')
    roots = []

    def work():
        for _ in range(20):
            with relayopt.transform.PassContext(opt_level=3, instruments=[instrument]):
                relayopt.transform.Sequential(passes)(mod)
                roots.append([root.name for root in instrument.profile()] if hasattr(instrument, "profile") else [])

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(roots) == 120
    if hasattr(instrument, "runs"):
        assert {(run.name, run.depth) for run in instrument.runs if run.name != "InferType"} == {
            ("sequential", 0), *((made.info.name, 1) for made in passes)}
        assert all(run.seconds is not None for run in instrument.runs)
    else:
        assert {name for names in roots for name in names} <= {"sequential"}
