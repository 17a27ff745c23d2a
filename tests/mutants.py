"""Would the tests notice? Break the package in one place at a time and run what should fail.

``make mutants`` breaks every place, ``make mutants N=300`` a sample of so many, always the same.
Nothing is written to the checkout: each of the workers has a copy of its own. Numba compiles
nothing (NUMBA_DISABLE_JIT=1), so that a broken function need not be compiled first; every mutant
gets a fork of a process that has imported the large libraries already, and a time limit. Running
out of time counts as noticed: a loop that never ends is.

Why not a tool that exists? mutmut 3 leaves functions with decorators alone, which is the whole
compiled core. cosmic-ray starts a new process for every mutant, so that most of its time goes into
imports. Neither drops statements or breaks JavaScript.

Survivors that change nothing anyone could see stand in ``mutants_equivalent.txt``, with reasons.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import copy
import io
import itertools
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = Path(__file__).with_name("mutants_equivalent.txt")
SCRIPT = "book/_static/explorable/maxgap.js"
LIMIT = 60  # seconds for one test; a loop that never ends is noticed after so long
LEAST = 0.95  # share of mutants that must be noticed, in every file

#: What is broken. A module's own tests are found by its name, see `tests_of`.
BROKEN = [
    "maxgap/gaps.py",
    "maxgap/engine/slots.py",
    "maxgap/engine/state.py",
    "maxgap/engine/runs.py",
    "maxgap/stopping.py",
    "maxgap/policies/__init__.py",
    "maxgap/policies/_saved.py",
    "maxgap/policies/_objections.py",
    "maxgap/policies/rules.py",
    "maxgap/policies/runs.py",
    "maxgap/policies/base.py",
    "maxgap/policies/round_robin.py",
    "maxgap/policies/sort_then_search.py",
    "maxgap/policies/max_gap_elim.py",
    "maxgap/policies/max_gap_ucb.py",
    "maxgap/policies/max_gap_top2_ucb.py",
    "maxgap/policies/max_gap_contrasts.py",
    "maxgap/contrasts/look.py",
    "maxgap/contrasts/certificate.py",
    "maxgap/contrasts/aims.py",
    "maxgap/contrasts/rewards.py",
    "maxgap/contrasts/rules.py",
    "maxgap/contrasts/plain.py",
    "maxgap/contrasts/limits.py",
    "maxgap/simulate.py",
    "maxgap/statistics.py",
    "maxgap/confidence.py",
    "maxgap/hardness.py",
    SCRIPT,
]

#: Tests that every policy passes through, whichever part of one is broken.
OF_ALL_POLICIES = [
    "policies/test_base.py",
    "engine/test_runs.py",
    "policies/test_runs.py",
    "policies/test_saved.py",
    "policies/test_base_in_any_order.py",
]
OF_CONTRASTS = [
    "contrasts/test_plain.py",
    "contrasts/test_certificate.py",
    "contrasts/test_look.py",
    "policies/test_max_gap_contrasts.py",
]

#: What else should notice, after the module's own tests: of a module, or of all in a room.
ALSO = {
    "maxgap/gaps.py": ["policies/test_base.py"],
    "maxgap/simulate.py": ["test_statistics.py", *OF_ALL_POLICIES[:3]],
    "maxgap/statistics.py": ["test_simulate.py"],
    "maxgap/stopping.py": ["policies/test_rules.py"],
    "maxgap/engine/": OF_ALL_POLICIES,
    "maxgap/policies/": OF_ALL_POLICIES,
    "maxgap/policies/max_gap_contrasts.py": OF_CONTRASTS,
    "maxgap/contrasts/": OF_CONTRASTS,
    "maxgap/contrasts/limits.py": [],  # it shares nothing with the certificate
    SCRIPT: ["site/test_explorable.py"],
}


def tests_of(file):
    """Files with the tests that should notice, in the order in which they are run.

    Of ``maxgap/room/_module.py`` they are ``room/test_module.py`` and ``room/test_module_story.py``
    in ``tests``; then what else is said for the module, or else for its room.
    """
    own = []
    if file.startswith("maxgap/"):
        path = Path(file).relative_to("maxgap")
        name = path.stem.strip("_")
        room = Path(__file__).parent / path.parent
        own = [room / f"test_{name}.py", *sorted(room.glob(f"test_{name}_*.py"))]
        own = [test.relative_to(Path(__file__).parent).as_posix() for test in own if test.is_file()]
    also = ALSO.get(file, ALSO.get(file.rpartition("/")[0] + "/", []))
    return list(dict.fromkeys([*own, *also]))


#: Tests that start processes of their own, wait for many workers, or take very long uncompiled.
LEFT_OUT = " and ".join(
    f"not {part}"
    for part in (
        "uncompiled",
        "without_compilation",
        "new_process",
        "any_backend",
        "4_workers",
        "all_differ",
        "two_equal_largest",
        "near_ties_are_certified",
        "near_enough_to_delta",
        "samples_until_certified",
        "on_dask",
        "in_threads",
        "interrupted_study",
        "wrong_no_more_often",
        "errs_no_more_often",
        "no_more_errors_than_delta",
        "runs_are_long_enough",
        "three_times_too_narrow",
        "after_one_sample_each",
        "added_condition",
        "direct_draws",
        "times_less_often_than_round_robin",
        "until_two_clusters_are_apart",
        "does_not_starve",
        "adaptive_policy",
        "thousands_of_rewards",
        "one_between_the_means",
        "grows_no_faster",
    )
)


def area(file):
    """The part of the package that a file belongs to; of every part enough must be noticed."""
    name = file.removeprefix("maxgap/")
    if name in ("policies/runs.py", "engine/runs.py"):
        return "simulate.py"
    if name.startswith(("engine/state", "policies/")) or name == "stopping.py":
        return "policies"
    if name.startswith("contrasts/"):
        return "contrasts"
    return {
        "engine/slots.py": "gaps.py",
        "statistics.py": "simulate.py",
    }.get(name, name)


Mutant = collections.namedtuple("Mutant", "file line function source change text")

COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.MatMult: None,
}
OPPOSITES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all",
             "all": "any", "argmax": "argmin", "argmin": "argmax"}  # fmt: skip


def changes(node):
    """(what, node in its place) of every single change of a node; None drops a statement."""
    if isinstance(node, ast.Call):
        yield from changes_of_call(node)
    elif isinstance(node, ast.stmt):
        yield from changes_of_statement(node)
    else:
        yield from changes_of_expression(node)


def changes_of_expression(node):
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            for other in COMPARISONS[type(operator)]:
                new = copy.deepcopy(node)
                new.ops[i] = other()
                yield new
    elif isinstance(node, ast.BinOp) and OPERATORS.get(type(node.op)):
        new = copy.deepcopy(node)
        new.op = OPERATORS[type(node.op)]()
        yield new
    elif isinstance(node, ast.BoolOp):
        new = copy.deepcopy(node)
        new.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        yield new
        yield from (value for value in node.values)  # one operand alone
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield ast.Constant(node.value + 1)
        if node.value == 1:
            yield ast.Constant(0)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse


def changes_of_call(node):
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name in OPPOSITES:
        new = copy.deepcopy(node)
        if isinstance(new.func, ast.Name):
            new.func.id = OPPOSITES[name]
        else:
            new.func.attr = OPPOSITES[name]
        yield new
    elif name == "range":
        for i in range(len(node.args)):
            new = copy.deepcopy(node)
            new.args[i] = ast.BinOp(new.args[i], ast.Add(), ast.Constant(1))
            yield new
    elif len(node.args) >= 2 and name != "isinstance":
        new = copy.deepcopy(node)
        new.args[0], new.args[1] = new.args[1], new.args[0]
        yield new
    if name in ("copy", "sort", "sorted") and isinstance(node.func, ast.Attribute):
        yield node.func.value


def changes_of_statement(node):
    if isinstance(node, ast.If | ast.While):
        new = copy.deepcopy(node)
        new.test = ast.UnaryOp(ast.Not(), new.test)
        yield new
    elif isinstance(node, ast.AugAssign):
        new = copy.deepcopy(node)
        if OPERATORS.get(type(node.op)):
            new.op = OPERATORS[type(node.op)]()
            yield new
        yield ast.Pass()
    elif isinstance(node, ast.Assign | ast.Break | ast.Continue) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield ast.Pass()
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Compare | ast.BoolOp):
        yield ast.Return(ast.Constant(True))
        yield ast.Return(ast.Constant(False))


def says_nothing(node, function):
    """Whether it is an import, a message, a type or a list of names."""
    if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom | ast.JoinedStr):
        return True
    if isinstance(node, ast.AnnAssign):
        return node.value is None
    if isinstance(node, ast.Assign) and function == "":
        names = [t.id for t in node.targets if isinstance(t, ast.Name)]
        return bool(names) and (names[0] == "__all__" or "TypeVar" in ast.dump(node.value))
    return False


def python_mutants(file, text):
    """Every single change of the code in a module; not of docstrings, types, messages, imports."""
    tree = ast.parse(text)
    lines, data = text.splitlines(keepends=True), text.encode()
    starts = [0, *itertools.accumulate(len(line.encode()) for line in lines)]
    found = []

    def visit(node, function):
        for name, field in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "bases", "names"):
                continue
            for child in field if isinstance(field, list) else [field]:
                if not isinstance(child, ast.AST) or says_nothing(child, function):
                    continue
                if hasattr(child, "lineno") and not (
                    function == "" and isinstance(child, ast.Assign | ast.If | ast.Expr)
                ):
                    for new in changes(child):
                        add(child, new, function)
                deeper = function
                if isinstance(child, ast.FunctionDef | ast.ClassDef):
                    deeper = f"{function}.{child.name}".lstrip(".")
                visit(child, deeper)

    def place(line, column):
        return starts[line - 1] + column

    def add(old, new, function):
        part = old.test if isinstance(old, ast.If | ast.While) else old  # of those the condition
        start = place(part.lineno, part.col_offset)
        end = place(part.end_lineno, part.end_col_offset)
        if part is not old:
            after = f"not ({ast.unparse(part)})"
        elif isinstance(new, ast.expr):
            after = f"({ast.unparse(new)})"
        else:
            after = ast.unparse(new)
        before = " ".join(data[start:end].decode().split())
        mutated = (data[:start] + after.encode() + data[end:]).decode()
        source = lines[old.lineno - 1].strip()
        found.append(Mutant(file, old.lineno, function, source, f"{before}  ->  {after}", mutated))

    visit(tree, "")
    return found


#: Of JavaScript there is no parser here: changes of its text, line by line.
SCRIPT_CHANGES = [
    (r" <= ", [" < ", " > "]),
    (r" >= ", [" > ", " < "]),
    (r" < ", [" <= ", " >= "]),
    (r" > ", [" >= ", " <= "]),
    (r" === ", [" !== "]),
    (r" !== ", [" === "]),
    (r" \+ ", [" - "]),
    (r" - ", [" + "]),
    (r" \* ", [" / "]),
    (r" / ", [" * "]),
    (r" && ", [" || "]),
    (r" \|\| ", [" && "]),
    (r"Math\.min", ["Math.max"]),
    (r"Math\.max", ["Math.min"]),
    (r"\.every\(", [".some("]),
    (r"!(?=[a-zA-Z(])", [""]),
    (r"\btrue\b", ["false"]),
    (r"\bfalse\b", ["true"]),
    (r"\b1\b", ["2", "0"]),
    (r"\b2\b", ["3"]),
    (r"\b0\b", ["1"]),
    (r"\b100\b", ["101"]),
    (r"(?<![\w.])-(?=[a-zA-Z])", [""]),
    (r"\.slice\(\)", [""]),
]


def script_mutants(file, text):
    """Changes of the code of a script; not of its comments, nor of the text of its errors."""
    found = []
    function, comment = "", False
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        comment = comment or line.lstrip().startswith("/*")
        if comment:
            comment = "*/" not in line
            continue
        name = re.match(r"\s+(?:function |const )?(\w+)(?: = )?\(.*\{$", line.rstrip())
        function = name[1] if name and name[1] not in ("if", "for") else function
        code = line.split("//")[0]
        code = code.split("throw")[0]
        if number < text[: text.index("(function")].count("\n") or "typeof" in line:
            continue
        candidates = [
            (match.start(), match.end(), other)
            for pattern, others in SCRIPT_CHANGES
            for match in re.finditer(pattern, code)
            for other in others
        ]
        changed = [code[:start] + other + line[end:] for start, end, other in candidates]
        if re.fullmatch(r"\s+[\w.\[\]]+ (=|\+=) [^{(]*;\s*|\s+this\.\w+\(.*\);\s*", code):
            changed.append("\n")  # a statement dropped
        for new in changed:
            mutated = "".join([*lines[:number], new, *lines[number + 1 :]])
            change = f"{line.strip()}  ->  {new.strip()}"
            found.append(Mutant(file, number + 1, function, line.strip(), change, mutated))
    return found


def all_mutants():
    """Mutants of every file, each list in the order of the file."""
    found = {}
    for file in BROKEN:
        text = (ROOT / file).read_text(encoding="utf-8")
        make = script_mutants if file.endswith(".js") else python_mutants
        unique = {mutant.text: mutant for mutant in make(file, text)}
        unique.pop(text, None)
        # The same change of the same line twice: the second is called "... (2)".
        seen = collections.Counter()
        found[file] = []
        for mutant in unique.values():
            seen[mutant[2:5]] += 1
            if seen[mutant[2:5]] > 1:
                mutant = mutant._replace(change=f"{mutant.change} ({seen[mutant[2:5]]})")
            found[file].append(mutant)
    return found


def keys(mutant):
    """What may stand for a mutant in the list of those that change nothing."""
    where = mutant.file, mutant.function, mutant.source
    return {(*where, mutant.change), (*where, "any")}


def read_known():
    """The mutants that change nothing, by file, function, line of source and change.

    An entry is those four on a line each, then its reason, then an empty line. Where the change is
    "any", all changes of that line are meant.
    """
    known = {}
    if EQUIVALENT.exists():
        text = EQUIVALENT.read_text(encoding="utf-8")
        for block in text.split("\n\n"):
            parts = [x for x in block.splitlines() if x and not x.startswith("#")]
            if parts:
                file, function, source, change, reason = parts
                known[file, function, source, change] = reason
    return known


# -- running -----------------------------------------------------------------------------------


def warm_up():
    """Import what is large and not to be broken, so that a fork has it already."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    sys.dont_write_bytecode = True
    import hypothesis.stateful
    import joblib
    import numba
    import pandas
    import pytest
    import scipy.integrate
    import scipy.optimize
    import scipy.stats

    return hypothesis, joblib, numba, pandas, pytest, scipy


def copy_of_checkout(folder):
    for name in ("maxgap", "tests", "pyproject.toml", "requirements.txt"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    shutil.copytree(ROOT / "book" / "_static", folder / "book" / "_static")


class Limit:
    """Plug-in of pytest: who takes longer over one test ends at once, as if it had failed."""

    def __init__(self, seconds):
        self.seconds = seconds
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def pytest_collection(self):
        signal.alarm(self.seconds)  # importing what is broken may take for ever, too

    def pytest_runtest_logstart(self):
        signal.alarm(self.seconds)


def run_tests(folder, files, seconds):
    """Whether the tests pass, in a fork; one that takes longer than so many seconds does not."""
    child = os.fork()
    if child == 0:
        os.setsid()  # with all processes it may start
        os.chdir(folder)
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        sys.path[:0] = [str(folder), str(folder / "tests")]
        import pytest

        arguments = [
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "--assert=plain",
            "-k",
            LEFT_OUT,
        ]
        arguments += ["-m", "not browser", *(f"tests/{name}" for name in files)]
        with contextlib.redirect_stdout(io.StringIO()):
            code = pytest.main(arguments, plugins=[Limit(seconds)])
        os._exit(int(code) != 0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0


def noticed(folder, mutant, files, seconds):
    target = folder / mutant.file
    original = target.read_text(encoding="utf-8")
    target.write_text(mutant.text, encoding="utf-8")
    try:
        return not run_tests(folder, files, seconds)
    finally:
        target.write_text(original, encoding="utf-8")


def work(number, n_workers, chosen, out):
    """Every n_workers-th mutant; writes a line each: its number and 1 if noticed."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name)
        copy_of_checkout(folder)
        for i in range(number, len(chosen), n_workers):
            mutant = chosen[i]
            seen = noticed(folder, mutant, tests_of(mutant.file), LIMIT)
            os.write(out, f"{i} {int(seen)}\n".encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-n", type=int, default=0, help="sample so many in all (0: every one)")
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="workers")
    parser.add_argument("--only", default="", help="part of the name of the files to break")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    options = parser.parse_args()

    known = read_known()
    mutants = {f: found for f, found in all_mutants().items() if options.only in f}
    chosen = []
    areas = dict.fromkeys(map(area, mutants))
    for part in areas:
        found = [m for file in mutants if area(file) == part for m in mutants[file]]
        rest = [m for m in found if not keys(m) & set(known)]
        size = len(rest) if options.n == 0 else min(len(rest), -(-options.n // len(areas)))
        chosen += random.Random(f"{options.seed} {part}").sample(rest, size)
    stale = set(known) - {key for found in mutants.values() for m in found for key in keys(m)}
    stale = {entry for entry in stale if entry[0] in mutants}
    print(
        f"{len(chosen)} of {sum(map(len, mutants.values()))} mutants, "
        f"{len(known)} lines known to change nothing"
    )

    warm_up()
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        copy_of_checkout(Path(name))
        for files in dict.fromkeys(tuple(tests_of(mutant.file)) for mutant in chosen):
            began = time.monotonic()
            if not run_tests(Path(name), list(files), LIMIT):
                sys.exit(f"error: the tests {', '.join(files)} fail though nothing is broken")
            took = time.monotonic() - began
            print(f"{', '.join(files)}: tests take {took:.0f} s", flush=True)

    incoming, outgoing = os.pipe()
    children = []
    for number in range(options.j):
        child = os.fork()
        if child == 0:
            os.close(incoming)
            work(number, options.j, chosen, outgoing)
            os._exit(0)
        children.append(child)
    os.close(outgoing)
    tally = {part: [0, 0] for part in areas}
    survivors = []
    with os.fdopen(incoming, encoding="utf-8") as lines:
        for done, line in enumerate(lines, start=1):
            i, seen = map(int, line.split())
            mutant = chosen[i]
            tally[area(mutant.file)][seen] += 1
            if not seen:
                survivors.append(mutant)
                print(f"survived  {mutant.file}:{mutant.line} in {mutant.function}: "
                      f"{mutant.change}", flush=True)  # fmt: skip
            if done % 10 == 0:
                print(f"{done} of {len(chosen)}", flush=True)
    for child in children:
        os.waitpid(child, 0)

    too_few = False
    for file, (survived, killed) in tally.items():
        share = killed / max(killed + survived, 1)
        too_few |= share < LEAST
        print(f"{file}: {killed} noticed, {survived} survived ({share:.1%})")
    for entry in sorted(stale):
        print(f"stale entry in {EQUIVALENT.name}: {entry}")
    if sum(map(sum, tally.values())) != len(chosen):
        sys.exit("error: a worker ended early")
    sys.exit(1 if too_few or stale else 0)


if __name__ == "__main__":
    main()
