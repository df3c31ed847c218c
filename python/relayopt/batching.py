"""A pipeline over many modules, in processes or on a Dask cluster."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import os
import sys
import time
import types

from ._arguments import as_int, as_list
from .ir.module import expect_module, IRModule
from .ir.transform import PassContext
from .models import is_path, loads, pipeline as pass_of
from .progress import progress_bar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

@dataclasses.dataclass(frozen=True)
class Item:
    """What became of one module: its text afterwards, or the error and a file for `relayopt --run-reproducer`."""

    name: str
    seconds: float
    text: str | None = None
    error: str | None = None
    reproducer: str | None = None

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def module(self) -> IRModule | None:
        """The module afterwards, read from its text; None where the pipeline failed."""
        return None if self.text is None else loads(self.text, self.name)


class Result(dict[str, Item]):
    """Items by name, in the order of the models."""

    @property
    def failed(self) -> list[Item]:
        """The items that failed."""
        return [item for item in self.values() if not item.ok]

    def __str__(self) -> str:
        width = max((len(name) for name in self), default=0)
        lines = [f"{item.name:{width}}  {item.seconds * 1e3:9.1f} ms  "
                 + ("ok" if item.ok else "failed: " + str(item.error).strip().split("\n")[0]) for item in self.values()]
        return "\n".join([*lines, f"{len(self) - len(self.failed)} of {len(self)} done"])

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each module: name, ok, seconds, error. Needs pandas."""
        import pandas

        # As objects: None, where there is no error, would become NaN in a column of texts.
        columns = {name: pandas.Series([getattr(item, name) for item in self.values()], dtype=kind)
                   for name, kind in (("name", object), ("ok", bool), ("seconds", float), ("error", object))}
        return pandas.DataFrame(columns)

    def _repr_html_(self) -> str:
        import html

        rows = "".join(f"<tr><td>{html.escape(item.name)}</td><td>{item.seconds * 1e3:.1f} ms</td>"
                       f"<td>{html.escape(item.error or 'ok')}</td></tr>" for item in self.values())
        return f"<table><tr><th>module</th><th>time</th><th>result</th></tr>{rows}</table>"


def _source(model: Any) -> str | bytes:
    """The content of a model: a module, a text, or the name of a file that holds one."""
    if isinstance(model, os.PathLike) or (isinstance(model, str) and is_path(model)):
        with open(model, "rb") as file:
            return file.read()
    if isinstance(model, (str, bytes)):
        return model
    expect_module(model)
    return str(model.astext())


def _failed(name: str, begin: float, error: Exception, reproducer: str | None = None) -> Item:
    return Item(name, time.perf_counter() - begin, error=f"{type(error).__name__}: {error}", reproducer=reproducer)


def _run(name: str, source: str | bytes, pipeline: str, opt_level: int, target: Any) -> Item:
    """One module; runs in a worker, so that what goes in and out is plain."""
    begin = time.perf_counter()
    text = source if isinstance(source, str) else None
    try:
        mod = loads(source, name)
        if text is None or not text.startswith("#["):
            # Reproducers are Relay text.
            text = mod.astext()
        with PassContext(opt_level=opt_level, target=target):
            mod = pass_of(pipeline)(mod)
        return Item(name, time.perf_counter() - begin, text=mod.astext())
    except Exception as error:  # A module that fails is a result.
        arguments = f" --opt-level={opt_level}" + (f" '--target={target}'" if target else "")
        header = f"// relayopt-reproducer v1\n// passes: {pipeline}\n// args:{arguments}\n"
        return _failed(name, begin, error, None if text is None else header + text)


def _results(jobs: list[tuple[Any, ...]], processes: int | None, cluster: Any) -> Iterator[Item]:
    """The items of all jobs, each when it is done."""
    if cluster is not None:
        from distributed import as_completed

        for _, item in as_completed(cluster.map(_run, *zip(*jobs), pure=False), with_results=True):
            yield item
    elif processes == 0 or len(jobs) < 2:
        yield from (_run(*job) for job in jobs)
    else:
        for job, item in in_processes(_run, jobs, processes):
            yield item if isinstance(item, Item) else Item(job[0], 0.0, error="the worker process ended before its time")


def in_processes(function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]],
                 processes: int | None) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """(job, what the function makes of it) for each job when it is done; None for a job that has ended its process."""
    left = list(jobs)
    with _fresh_processes(processes) as pool:
        futures = {}
        with _without_main(), contextlib.suppress(concurrent.futures.BrokenExecutor):
            for job in jobs:
                futures[pool.submit(function, *job)] = job
        for future in concurrent.futures.as_completed(futures):
            if not isinstance(future.exception(), concurrent.futures.BrokenExecutor):
                left.remove(futures[future])
                yield futures[future], future.result()
    # A process that ends takes all others of its pool with it: what is left gets one of its own each.
    for job in left:
        with _fresh_processes(1) as pool:
            with _without_main():
                future = pool.submit(function, *job)
            broken = isinstance(future.exception(), concurrent.futures.BrokenExecutor)
            yield job, None if broken else future.result()


def _fresh_processes(count: int | None) -> concurrent.futures.ProcessPoolExecutor:
    """A pool of processes that are not forks: a fork would take over threads that hold locks."""
    import multiprocessing

    return concurrent.futures.ProcessPoolExecutor(count, multiprocessing.get_context("spawn"))


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Processes that are started now do not run the program of the user once more, which need not guard itself against
    that: they need nothing of it."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def batch(models: Any, pipeline: str, *, processes: int | None = None, cluster: Any = None, opt_level: int = 3,
          target: Any = None) -> Result:
    """Runs a pipeline, as `relayopt --passes` takes it, over many modules.

    `models` maps names to modules, texts or files of any format, or is a sequence of these, which are numbered. They run in `processes`
    worker processes (as many as there are processors; 0: in this one), or on `cluster`, a `distributed.Client`. Modules
    that fail do not stop the others: gives a Result with an Item for each.

    >>> mod = relay.parse('#[version = "0.0.5"] def @main() { 1 + 2 }')
    >>> result = relayopt.batch({"good": mod, "bad": "def"}, "default<O3>", processes=0)
    >>> result["good"].module["main"].body
    <Constant int32[] int32>
    >>> [item.name for item in result.failed]
    ['bad']
    """
    if not isinstance(pipeline, str):
        raise TypeError(f"a batch runs a pipeline as text, not a {type(pipeline).__name__}")
    processes = None if processes is None else as_int("processes", processes)
    PassContext(opt_level=opt_level, target=target)
    if cluster is not None and not hasattr(cluster, "map"):
        raise TypeError(f"cluster is a distributed.Client, not {cluster!r}")
    if isinstance(models, (str, bytes, os.PathLike, IRModule)):
        models = [models]
    if not hasattr(models, "items"):
        models = as_list("models", models, "a dict or a list of modules, texts and files")
        models = {str(model) if isinstance(model, (str, os.PathLike)) and "\n" not in str(model) else str(i): model
                  for i, model in enumerate(models)}
    jobs = []
    items: dict[str, Item] = {}
    for name, model in models.items():
        begin = time.perf_counter()
        try:
            jobs.append((str(name), _source(model), pipeline, opt_level, target))
        except (OSError, TypeError, ValueError) as error:
            items[str(name)] = _failed(str(name), begin, error)
    bar = progress_bar("module", len(models))
    try:
        for item in _results(jobs, processes, cluster) if jobs else ():
            items[item.name] = item
            if bar is not None:
                bar.show(len(items), item.name)
    finally:
        if bar is not None:
            bar.close()
    return Result({str(name): items[str(name)] for name in models})
