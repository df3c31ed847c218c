#!/usr/bin/env python3
"""Proves the rewrite rules for all integers with z3: check_rules.py RULES_TO_SMT PROVED [--all] [--timeout SECONDS] [--list].

RULES_TO_SMT prints, of every left side of every rule, formulas that together are satisfiable only where the rule is
wrong. What z3 cannot settle, being non-linear, is asked again with the literals (or divisors) instantiated over a small
range and everything else unbounded; the list INSTANTIATED says which rules need that. A rule that is refuted, left
undecided, or settled without what its entry in the list says fails the test.

PROVED is a file of lines `HASH LEFT-SIDE`: what was proved, with a hash of the queries and of z3's version, so that only
what has changed since is proved. With --all everything is, and the file is written anew.
"""
import argparse
import concurrent.futures
import hashlib
import itertools
import re
import subprocess
import sys

PRELUDE = """
(define-fun iabs ((a Int)) Int (ite (< a 0) (- a) a))
(define-fun fdiv ((a Int) (b Int)) Int (ite (> b 0) (div a b) (div (- a) (- b))))
(define-fun fmod ((a Int) (b Int)) Int (ite (> b 0) (mod a b) (- (mod (- a) (- b)))))
(define-fun tdiv ((a Int) (b Int)) Int
  (ite (>= a 0) (ite (> b 0) (div a b) (- (div a (- b)))) (ite (> b 0) (- (div (- a) b)) (div (- a) (- b)))))
(define-fun tmod ((a Int) (b Int)) Int (ite (>= a 0) (mod a (iabs b)) (- (mod (- a) (iabs b)))))
(define-fun imin ((a Int) (b Int)) Int (ite (< a b) a b))
(define-fun imax ((a Int) (b Int)) Int (ite (> a b) a b))
"""

BATCH = 25

# Rules that are non-linear for all integers: which letters are instantiated, and over what.
LITERALS = ("c7", "c8", "c9")  # c1, c2, c3
INSTANTIATED = {
    **{rule: (LITERALS, range(-4, 5)) for rule in
       "M4 D1 D3b R1 R2 R3 R4 F7 F8 F9 F10 F11 F13 F14 F15 G1 G2 G3 G4 G5".split()},
    **{rule: (LITERALS, range(-3, 4)) for rule in "S37 S38 S56 K16 K17 K18 K19".split()},
    "G6": (("t0", *LITERALS), range(-4, 5)),
    "G7": (("t1",), range(-8, 9)),
    "G8": (("t1",), range(-8, 9)),
    "G9": (("t1", "t2"), range(-5, 6)),
}


# How much longer than the others an undecided query may take: on a busy machine the clock runs while z3 waits.
SECOND_TRY = 12


def ask(queries, timeout):
    """The answers to the queries, in order. What is undecided is asked again by itself."""
    answers = ask_once(queries, timeout)
    undecided = ("unknown", "timeout")
    return [ask_once([query], SECOND_TRY * timeout)[0] if answer in undecided else answer
            for query, answer in zip(queries, answers)]


def ask_once(queries, timeout):
    """The answers of one z3 to the queries, in order."""
    script = "".join(f"(reset)\n{PRELUDE}{query}(check-sat)\n" for query in queries)
    done = subprocess.run(["z3", "-smt2", "-in", f"-t:{int(timeout * 1000)}"], input=script, capture_output=True,
                          text=True, check=False)
    answers = re.findall(r"^(sat|unsat|unknown|timeout|\(error.*)$", done.stdout, re.MULTILINE)
    if len(answers) != len(queries):
        raise RuntimeError(f"z3 gave {len(answers)} answers to {len(queries)} queries:\n{done.stdout[:2000]}")
    return answers


def instances(name, query):
    """The queries that together settle a rule, and for what they settle it."""
    entry = INSTANTIATED.get(name.split(".")[0])
    if entry is None:
        return [query], "all integers"
    letters, values = entry
    letters = [letter for letter in letters if f"declare-const {letter} " in query]
    queries = []
    for chosen in itertools.product(values, repeat=len(letters)):
        # Substituted, not only asserted, so that products with them are linear.
        text = query
        for letter, value in zip(letters, chosen):
            number = f"(- {-value})" if value < 0 else str(value)
            text = text.replace(f"(declare-const {letter} Int)\n", "")
            text = re.sub(rf"\b{letter}\b", number, text)
        queries.append(text)
    return queries, f"{', '.join(letters)} in [{values[0]}, {values[-1]}]"


def fingerprints(asked):
    """Of each left side, a hash of its queries and of z3's version."""
    version = subprocess.run(["z3", "--version"], capture_output=True, check=True).stdout
    hashes = {}
    for name, query, _ in asked:
        hashes.setdefault(name, hashlib.sha256(version + PRELUDE.encode())).update(query.encode())
    return {name: found.hexdigest()[:16] for name, found in hashes.items()}


def prove_all(rules, timeout, proved):
    """Of each left side its name, what was settled, and for which integers. `proved` are lines of what need not be asked.
    Starting z3 costs more than most proofs, so that each answers many queries."""
    asked = [(name, query, how) for name, text in rules for queries, how in [instances(name, text)] for query in queries]
    settled = {name: ("unsat", how) for name, _, how in asked}
    lines = {name: f"{found} {name}" for name, found in fingerprints(asked).items()}
    work = [(name, query) for name, query, _ in asked if lines[name] not in proved]
    print(f"{len(lines) - len({name for name, _ in work})} of {len(lines)} left sides were proved before")
    batches = [work[i:i + BATCH] for i in range(0, len(work), BATCH)]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for batch, answers in zip(batches, pool.map(lambda b: ask([q for _, q in b], timeout), batches)):
            for (name, _), answer in zip(batch, answers):
                if answer != "unsat" and settled[name][0] == "unsat":
                    settled[name] = (answer, settled[name][1])
    return [(lines[name], name, *found) for name, found in settled.items()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rules_to_smt")
    parser.add_argument("proved", help="the file that says what was proved")
    parser.add_argument("--timeout", type=float, default=10)
    parser.add_argument("--list", action="store_true", help="print each rule and how it was proved")
    parser.add_argument("--all", action="store_true", help="prove what is in the file, too, and write it anew")
    options = parser.parse_args()
    text = subprocess.run([options.rules_to_smt], capture_output=True, text=True, check=True).stdout
    native = re.findall(r"^; native (\S+)$", text, re.MULTILINE)
    text = re.sub(r"^; native .*\n", "", text, flags=re.MULTILINE)
    parts = re.split(r"^; rule (\S+)\n", text, flags=re.MULTILINE)[1:]
    rules = list(zip(parts[::2], parts[1::2]))
    known = {name.split(".")[0] for name, _ in rules}
    bad = [f"{name}: is in the list but no rule" for name in INSTANTIATED if name not in known]
    if len(rules) < 300:
        bad.append(f"only {len(rules)} left sides")
    ways = {}
    proved = set()
    if not options.all:
        with open(options.proved, encoding="ascii") as file:
            proved = set(file.read().splitlines())
    settled = prove_all(rules, options.timeout, proved)
    for _, name, answer, how in settled:
        if answer != "unsat":
            bad.append(f"{name}: {answer} for {how}")
        ways.setdefault(how, []).append(name)
        if options.list:
            print(f"{name:8} {answer:8} {how}")
    for how, names in ways.items():
        print(f"{len(names)} left sides for {how}" + ("" if how == "all integers" else ": " + " ".join(names)))
    print(f"{len(native)} rules are code, which random terms check: {' '.join(native)}")
    if options.all and not bad:
        with open(options.proved, "w", encoding="ascii") as file:
            file.write("".join(f"{line}\n" for line, *_ in settled))
    for line in bad:
        print(line, file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
