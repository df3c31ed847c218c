"""Instruments: what watches passes run."""

from __future__ import annotations

import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from .module import IRModule
    from .transform import PassInfo


class PassInstrument:
    """A base for instruments. Methods that a subclass does not override are not called.

    `enter_pass_ctx(self)`, `exit_pass_ctx(self)`, `should_run(self, mod, info) -> bool`,
    `run_before_pass(self, mod, info)`, `run_after_pass(self, mod, info)`.

    >>> class OnlyTypes(relayopt.instrument.PassInstrument):
    ...     def should_run(self, mod, info):
    ...         return info.name == "InferType"
    >>> mod = relay.parse('#[version = "0.0.5"] def @main() { 1 + 2 }')
    >>> with transform.PassContext(instruments=[OnlyTypes()]):
    ...     relay.transform.FoldConstant()(mod)["main"].body
    <Call add(constant, constant) int32>
    """

    def __init__(self) -> None:
        self._callbacks()

    def _callbacks(self) -> dict[str, Callable[..., Any]]:
        found = self.__dict__.get("_found")
        if found is None:
            found = {}
            for name in ("enter_pass_ctx", "exit_pass_ctx", "should_run", "run_before_pass", "run_after_pass"):
                if any(name in cls.__dict__ for cls in type(self).__mro__ if cls is not PassInstrument):
                    found[name] = getattr(type(self), name)
            self.__dict__["_found"] = found
        return found

    def _call(self, name: str, *args: Any) -> Any:
        method = self._callbacks().get(name)
        return None if method is None else method(self, *args)

    def _votes(self, mod: IRModule, info: PassInfo) -> bool:
        method = self._callbacks().get("should_run")
        if method is None:
            return True
        vote = method(self, mod, info)
        if vote is None:
            raise TypeError(f"{self!r}: should_run must return a bool")
        return bool(vote)

    def __repr__(self) -> str:
        return type(self).__name__

    @property
    def name(self) -> str:
        """The name of the class, unless the instrument has one of its own."""
        result: str = self.__dict__.get("name", type(self).__name__)
        return result

    @name.setter
    def name(self, value: Any) -> None:
        self.__dict__["name"] = value


def pass_instrument(pi_cls: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Makes an instrument of a class with any of the callbacks.

    >>> from relayopt.ir.instrument import pass_instrument
    >>> @pass_instrument
    ... class Names:
    ...     def run_before_pass(self, mod, info):
    ...         print("before", info.name)
    >>> mod = relayopt.IRModule.from_expr(relay.const(1))
    >>> with transform.PassContext(instruments=[Names()]):
    ...     mod = relay.transform.FoldConstant()(mod)
    before FoldConstant
    before InferType
    """

    def create(cls: Any) -> Callable[..., Any]:
        if not isinstance(cls, type):
            raise TypeError("pi_cls must be a class")
        if issubclass(cls, PassInstrument):
            return cls

        class Wrapped(cls, PassInstrument):  # type: ignore[misc]  # The base is what the decorator is put on.
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                cls.__init__(self, *args, **kwargs)
                PassInstrument.__init__(self)

        Wrapped.__name__ = cls.__name__
        Wrapped.__qualname__ = cls.__qualname__
        Wrapped.__doc__ = cls.__doc__
        Wrapped.__module__ = cls.__module__
        return Wrapped

    return create if pi_cls is None else create(pi_cls)


class OpenRuns(threading.local):
    """What an instrument keeps of the passes that run: passes nest within a thread, and an instrument may be in the contexts
    of several."""

    def __init__(self) -> None:
        self.stack: list[Any] = []


class _Profile:
    """One run of a pass: name, total and own time in microseconds, passes inside."""

    def __init__(self, name: str) -> None:
        self.name, self.start, self.total_us = name, time.perf_counter(), 0.0
        self.children: list[Any] = []

    @property
    def self_us(self) -> Any:
        return self.total_us - sum(child.total_us for child in self.children)


class PassTimingInstrument(PassInstrument):
    """Measures how long passes take; `render()` inside of the context gives the table.

    >>> timing = relayopt.instrument.PassTimingInstrument()
    >>> mod = relayopt.IRModule.from_expr(relay.const(1))
    >>> with transform.PassContext(instruments=[timing]):
    ...     mod = relay.transform.FoldConstant()(mod)
    ...     "FoldConstant: " in timing.render()
    True
    """

    _latest = None

    def __init__(self) -> None:
        super().__init__()
        self._active = False
        self._roots: list[Any] = []
        self._open = OpenRuns()

    def enter_pass_ctx(self) -> None:
        self._roots, self._open.stack, self._active = [], [], True
        PassTimingInstrument._latest = self

    def exit_pass_ctx(self) -> None:
        self._active = False
        self._open.stack = []

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        profile = _Profile(info.name)
        stack = self._open.stack
        (stack[-1].children if stack else self._roots).append(profile)
        stack.append(profile)

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        stack = self._open.stack
        # A pass that failed has left its profile open.
        while stack and stack[-1].name != info.name:
            stack.pop()
        if stack:
            profile = stack.pop()
            profile.total_us = (time.perf_counter() - profile.start) * 1e6

    def profile(self) -> list[_Profile]:
        """The runs as a tree; kept until the context is entered again."""
        return list(self._roots)

    def _render(self) -> str:
        if not self._active or not self._roots:
            return ""
        total = sum(root.total_us for root in self._roots) or 1.0
        lines = []
        work = [(root, 0, total) for root in reversed(self._roots)]
        while work:
            profile, depth, above = work.pop()
            lines.append(
                "\t" * depth
                + f"{profile.name}: {profile.total_us:.0f}us [{profile.self_us:.0f}us] "
                + f"({100 * profile.total_us / total:.2f}%; {100 * profile.total_us / (above or 1.0):.2f}%)\n"
            )
            work.extend((child, depth + 1, profile.total_us) for child in reversed(profile.children))
        return "".join(lines)

    class _Render:
        """On an instrument its own table; on the class that of the latest one."""

        def __get__(self, instance: PassInstrument, owner: Callable[..., Any]) -> Callable[..., Any]:
            def render() -> Any:
                target: Any = instance if instance is not None else PassTimingInstrument._latest
                return "" if target is None else target._render()

            return render

    render = _Render()


TimePassesInstrument = PassTimingInstrument


class PassPrintingInstrument(PassInstrument):
    """Prints the module before the passes of some names, and after those of others."""

    def __init__(self, print_before_pass_names: Collection[str], print_after_pass_names: Collection[str]) -> None:
        super().__init__()
        self.print_before_pass_names, self.print_after_pass_names = print_before_pass_names, print_after_pass_names

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        if info.name in self.print_before_pass_names:
            print(f"Print IR before: {info.name}\n{mod}\n\n")

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        if info.name in self.print_after_pass_names:
            print(f"Print IR after: {info.name}\n{mod}\n\n")


class PrintBeforeAll(PassInstrument):
    """Prints the module before every pass."""

    def run_before_pass(self, mod: Any, info: Any) -> None:
        print(f"Before Running Pass: {info}")
        print(mod)


class PrintAfterAll(PassInstrument):
    """Prints the module after every pass."""

    def run_after_pass(self, mod: Any, info: Any) -> None:
        print(f"After Running Pass: {info}")
        print(mod)
