"""Which values no clause of a match covers."""

from __future__ import annotations

from ..adt import PatternConstructor, PatternTuple, PatternVar, PatternWildcard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.module import IRModule
    from ..adt import Match, Pattern


def _compare(clause: Any, case: Any) -> bool | None:
    """True: the clause takes every value of the case; False: none; None: it depends on parts that are open."""
    work, open_ = [(clause, case)], False
    while work:
        p, c = work.pop()
        if isinstance(p, (PatternWildcard, PatternVar)):
            continue
        if isinstance(c, PatternWildcard):
            open_ = True
            continue
        if isinstance(p, PatternConstructor):
            if not isinstance(c, PatternConstructor) or p.constructor.name_hint != c.constructor.name_hint:
                return False
            work.extend(zip(p.patterns, c.patterns))
        else:
            work.extend(zip(p.patterns, c.patterns))
    return None if open_ else True


def _refine(clause: Any, case: Any, mod: IRModule) -> list[Any]:
    """The cases that a case splits into where the clause looks closer."""
    if isinstance(case, PatternWildcard):
        if isinstance(clause, PatternConstructor):
            data = mod[clause.constructor.belong_to]
            return [PatternConstructor(c, [PatternWildcard() for _ in c.inputs]) for c in data.constructors]
        if isinstance(clause, PatternTuple):
            parts: list[Pattern] = [PatternWildcard() for _ in clause.patterns]
            return [PatternTuple(parts)]
        return [case]
    if isinstance(clause, (PatternWildcard, PatternVar)):
        return [case]
    # The first part in which the clause looks closer.
    for i, (p, c) in enumerate(zip(clause.patterns, case.patterns)):
        if _compare(p, c) is None:
            parts = list(case.patterns)
            result = []
            for new in _refine(p, c, mod):
                fields = parts[:i] + [new] + parts[i + 1 :]
                result.append(PatternConstructor(case.constructor, fields) if isinstance(case, PatternConstructor)
                              else PatternTuple(fields))
            return result
    return [case]


def unmatched(match: Match, mod: IRModule) -> list[Pattern]:
    """The patterns of values that no clause takes."""
    work: list[Pattern] = [PatternWildcard()]
    failures: list[Pattern] = []
    while work:
        case = work.pop()
        for clause in match.clauses:
            verdict = _compare(clause.lhs, case)
            if verdict is True:
                break
            if verdict is None:
                work.extend(_refine(clause.lhs, case, mod))
                break
        else:
            failures.append(case)
    return failures
