"""The command line: ``maxgap split``, ``next`` and ``plan``.

Results go to the standard output, all else to the standard error. Every end has its exit status,
which ``--help`` lists.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from importlib.metadata import version
from typing import Any

from numba.core.event import Listener, install_listener

from maxgap import confidence
from maxgap.policies import at_once
from maxgap.ratings.answers import printable, tell_all
from maxgap.ratings.duels import Duels
from maxgap.ratings.files import BadFile, NoRows, Source, read_rows
from maxgap.ratings.planning import Forecast, plan
from maxgap.ratings.question import POLICY_OF, Question
from maxgap.ratings.rows import Rows
from maxgap.ratings.splits import TablePartition, TableSplit, partition_of, split_of

__all__ = ["main", "parser"]

OK, USAGE, BAD_DATA, INTERRUPTED, CLOSED = 0, 2, 3, 130, 141

EPILOG = """\
A FILE is CSV or TSV (also .gz), Parquet, or - for the standard input; it is read in pieces.
Its first line names the columns.

exit status: 0 an answer is given, certified or not; 2 the command cannot be understood; 3 a file,
or a row of it, cannot be used; 130 interrupted; 141 whoever read the output closed it
"""
CARE = """

Give --bounds and keep the default certificate: "either" of two, with half of delta each (clusters
alone for duels, three groups or more, and over 100 things). Look as often as you like.

Assumed: ratings independent of each other, in the order in which they were given. Two things
break that:
- rows sorted by rating. Where plainly so it is said, and contrasts are left out;
- raters who rate repeatedly. Raters who rate one item more than once need care: name their column,
  --rater, and each counts once an item. Where some rate several items contrasts are left out.
A --sigma that the ratings contradict is refused."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit status."""
    try:
        typed = sys.argv[1:] if arguments is None else arguments
        options = parser().parse_args([*map(_decoded, typed)])
        if sys.stdout is None:
            raise BadFile("standard output: is closed")
        terminal = sys.stderr is not None and sys.stderr.isatty()
        with install_listener("numba:compile", Compiling()) if terminal else nullcontext():
            options.run(options)
        return OK
    except SystemExit as leaving:  # from argparse: 0 after --help, 2 for what it does not know
        return leaving.code if isinstance(leaving.code, int) else USAGE
    except BadFile as problem:
        _say(str(problem))
        return BAD_DATA
    except ValueError as problem:
        with suppress(SystemExit):
            options.parser.error(str(problem))
        return USAGE
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return CLOSED


def _decoded(text: str) -> str:
    """What was typed, also where the locale cannot decode it; a file keeps its name."""
    if not any("\udc80" <= c <= "\udcff" for c in text) or os.path.exists(text):
        return text
    return os.fsencode(text).decode("utf-8", "surrogateescape")


class Compiling(Listener):
    """Says on a terminal why the first answer takes longer."""

    said = False

    def on_start(self, event: Any) -> None:
        """Say so, once."""
        if not self.said:
            _say("compiling, once: this takes some 20 s")
        self.said = True

    def on_end(self, event: Any) -> None:
        """Say nothing."""


def _say(*texts: str) -> None:
    for text in texts if sys.stderr is not None else ():  # print would take the standard output
        print(f"maxgap: {text}", file=sys.stderr)


def parser() -> argparse.ArgumentParser:
    """What the command line understands."""
    how: Any = {"formatter_class": argparse.RawDescriptionHelpFormatter, "epilog": EPILOG}
    about = "Where do noisily rated things fall apart into a better and a worse group?"
    whole = argparse.ArgumentParser(prog="maxgap", description=about, allow_abbrev=False, **how)
    whole.add_argument("--version", action="version", version=f"maxgap {version('maxgap')}")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, help: str, run: Callable[[Any], None], care: str = "") -> Any:
        text = f"{help[0].upper()}{help[1:]}.{care}"
        one = commands.add_parser(name, help=help, description=text, allow_abbrev=False, **how)
        one.set_defaults(run=run, parser=one, groups=2, batch=1, arms=[])
        one.add_argument("--json", action="store_true", help="print JSON")
        _add_reading(one.add_argument_group("the file").add_argument)
        _add_question(one.add_argument_group("the guarantee"))
        return one

    found = command("split", "find and certify the largest gap in a file of ratings", _split, CARE)
    following = command("next", "say what to rate next, given the ratings so far", _next, CARE)
    planned = command("plan", "say how many ratings it will take, if the means are these", _plan)
    for one in (found, following):
        one.add_argument("file", metavar="FILE", help="the ratings, or -")
        one.add_argument("--groups", type=int, default=2, metavar="K", help="how many (2)")
    add = following.add_argument
    add("--batch", type=int, default=20, metavar="N", help="how many (20)")
    some: Any = {"nargs": "+", "default": [], "metavar": "A"}
    add("--arms", help="to rate, if not in FILE yet", **some)
    waiting = "waiting for an answer: an arm for each question, or a file with a row for each"
    add("--pending", help=waiting, **some)
    planned.add_argument("given", metavar="M", nargs="+", help="guessed means, or a FILE with them")
    planned.add_argument("--sd", type=float, metavar="SD", help="guessed spread (the largest)")
    return whole


def _add_reading(add: Callable[..., Any]) -> None:
    add("--arm", help="what is rated (the first of two)", metavar="COLUMN")
    add("--reward", help="the rating (the second of two)", metavar="COLUMN")
    add("--rater", help="who rated: counts once an item, by the mean", metavar="COLUMN")
    add("--winner", help="for duels: who won", metavar="COLUMN")
    add("--loser", help="and who lost, of a pair drawn at random", metavar="COLUMN")
    met = "or who met; the winner is then one of them, the name of its column or a word for a draw"
    add("--pair", nargs=2, help=met, metavar="COLUMN")
    add("--chosen", help="who of the two was chosen, if only the other was drawn", metavar="COLUMN")
    add("--draws", choices=["half", "drop"], help="half a win for both, or left out")
    add("--encoding", default="utf-8", metavar="NAME", help="of the text (utf-8)")


def _add_question(guarantee: Any) -> None:
    scale = guarantee.add_mutually_exclusive_group().add_argument
    ends = "the smallest and largest rating that there could be"
    scale("--bounds", type=float, nargs=2, metavar=("LO", "HI"), help=ends)
    scale("--sigma", type=float, metavar="S", help="sub-Gaussian scale, if there are no bounds")
    add = guarantee.add_argument
    add("--delta", type=float, default=0.05, help="error probability (0.05)")
    names = [*confidence.RADII, *confidence.FROM_REWARDS]
    add("--confidence", choices=names, help="of the intervals (with --bounds: empirical-bernstein)")
    add("--stopping", choices=POLICY_OF, help="certificate (either; clusters for duels and groups)")


def _asked(options: argparse.Namespace) -> Question:
    """What is assumed; what is wrong with the options is said before a long file is read."""
    duels = options.winner is not None
    stopping = options.stopping or ("clusters" if duels or options.groups > 2 else "either")
    contrasts = stopping != "clusters"
    scaled = options.bounds is not None or options.sigma is not None
    others = options.loser or options.pair or options.chosen or options.draws
    apart = (options.loser is None) == (options.pair is None) if duels else others
    named = any(name is not None for name in (options.arm, options.reward, options.rater))
    for wrong, why in (
        (options.groups < 2, f"--groups: 2 or more are needed, got {options.groups}"),
        (options.batch < 1, f"--batch: 1 or more are needed, got {options.batch}"),
        (options.groups > 2 and contrasts, "--groups: the certificate is that of clusters"),
        (apart, "--winner and --loser go together, or --winner and --pair"),
        (not duels and not scaled, "one of the arguments --bounds --sigma is required"),
        (options.draws and not options.pair, "--draws and --pair go together"),
        (duels and (scaled or named), "--winner: not with --arm, --reward, --rater or a scale"),
        (duels and contrasts, "--winner: clusters only, as rewards of a duel depend on each other"),
    ):
        if wrong:
            raise ValueError(why)
    bounds = (0.0, 1.0) if duels else options.bounds
    return Question.asked(bounds, options.sigma, options.delta, options.confidence, stopping)


@contextmanager
def _read(options: argparse.Namespace, path: str) -> Iterator[tuple[Rows, Question]]:
    """The rows of the file, and what is asked of them; what is wrong with them names the file."""
    question = _asked(options)
    if options.winner is None:
        rows, more = Rows(question.bounds), {"--rater": options.rater or None}
        columns = {"--arm": options.arm, "--reward": options.reward}
    else:
        rows = Duels(options.pair or (), options.draws, chosen=options.chosen is not None)
        first, second = options.pair or (None, None)
        columns = {"--winner": options.winner}
        more = {"--loser": options.loser, "--pair": first, "--pair, second": second}
        more["--chosen"] = options.chosen
    columns |= {option: name for option, name in more.items() if name is not None}
    source = Source(path, columns, options.encoding)
    try:
        with suppress(*[NoRows] * bool(options.arms)):
            read_rows(source, rows)
            if isinstance(rows, Duels):
                rows.check()
        rows.once()
        yield rows, question
    except BadFile:
        raise
    except ValueError as problem:
        raise BadFile(f"{source.name}: {problem}") from None


def _answer(rows: Rows, question: Question, groups: int) -> TableSplit | TablePartition:
    return partition_of(rows, groups, question) if groups > 2 else split_of(rows, question)


def _split(options: argparse.Namespace) -> None:
    with _read(options, options.file) as (rows, question):
        found = _answer(rows, question, options.groups)
    if options.json:
        _print(_as_json(found))
        return
    verdict = "\n".join(found.verdict())
    _print(verdict)  # what is known is said first
    report = f"\n\nFor a report: {found.sentence}" if isinstance(found, TableSplit) else ""
    _print(f"{str(found).removeprefix(verdict)[1:]}{report}")


def _next(options: argparse.Namespace) -> None:
    with _read(options, options.file) as (rows, question):
        _say(*rows.notes)
        known = set(map(str, rows.labels))
        for name in options.arms:
            if name.strip() and name not in known:
                rows.arms.number(name.strip())
        if rows.moments().counts.all():
            policy = _answer(rows, question, options.groups).policy()
        else:  # arms that have no rating yet come first
            policy = question.policy(rows.labels)
            if rows.total:
                tell_all(policy, rows)
                at_once.begin(policy)
        batch = at_once.questions(policy, options.batch, _pending(options, policy.arms))
    if options.json:
        asked = [{"arm": arm, "ratings": n} for arm, n in batch.items()]
        _print({"certified": policy.certified, "next": asked})
    elif not batch:  # perhaps it has stopped by intervals without a proof
        _print(f"{'Certified' if policy.certified else 'Stopped'} already: nothing more to rate.")
    else:
        width = max(len(printable(arm)) for arm in batch)
        _print("\n".join(f"{printable(arm):<{width}}  {n}" for arm, n in batch.items()))


def _pending(options: argparse.Namespace, arms: list[Any]) -> list[Any]:
    """The arms of questions that wait: as they are said, or those of a file."""
    said, known = options.pending, {str(arm): arm for arm in arms}
    if len(said) == 1 and said[0] not in known:
        if not os.path.exists(said[0]):
            raise ValueError(f"argument --pending: {said[0]!r} is neither an arm nor a file")
        source, rows = Source(said[0], {"--arm": options.arm}, options.encoding), Rows()
        with suppress(NoRows):
            read_rows(source, rows)
        said = [str(rows.labels[arm]) for numbers, _ in rows for arm in numbers.tolist()]
    return [known.get(name, name) for name in said]


def _plan(options: argparse.Namespace) -> None:
    guessed: list[float] = []
    with suppress(ValueError):
        guessed = [float(text) for text in options.given]
    if guessed:
        made = plan(guessed, sd=options.sd, **_asked(options).settings)
    elif len(options.given) > 1:
        raise ValueError(f"give means, which are numbers, or one FILE, got {options.given}")
    else:
        with _read(options, options.given[0]) as (rows, question):
            _say(*rows.notes)
            means, sd = _answer(rows, question, 2).estimates()
            sd = sd if options.sd is None else options.sd
            made = plan(means, sd=sd, **question.settings)
    as_json = {name: _forecast_as_json(part) for name, part in made._asdict().items()}
    _print(as_json if options.json else str(made))


def _print(result: Any) -> None:
    """Print a text, or anything else as JSON."""
    if not isinstance(result, str):
        result = json.dumps(result, indent=2, allow_nan=False, default=str)
    elif (encoding := getattr(sys.stdout, "encoding", None)) is not None:
        # What the terminal cannot show is shown as its number.
        result = result.encode(encoding, "backslashreplace").decode(encoding)
    try:
        print(result, flush=True)
    except OSError as problem:
        # Let go of what cannot be written: Python would complain once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(problem, BrokenPipeError):
            raise
        raise BadFile(f"standard output: {problem.strerror or problem}") from None


def _as_json(found: Any) -> dict[str, Any]:
    rival = found.rival
    groups = found.arms.groupby("group", sort=False)["arm"].agg(list)
    made = groups.to_dict() if hasattr(found, "top") else {"groups": groups.tolist()}
    names = ("gap", "gaps", "certified", "certain_gap", "certain_gaps", "notes", "sentence")
    made |= {name: getattr(found, name) for name in names if hasattr(found, name)}
    return made | {
        "rival": rival and {"gap": rival.gap, "below": rival.below, "above": rival.above},
        "next": found.next,
        "more_ratings": _forecast_as_json(found.more),
        "arms": found.arms.to_dict("records"),
    }


def _forecast_as_json(made: Forecast) -> dict[str, Any]:
    """Infinite numbers, which JSON has not, as null."""
    return {name: x if math.isfinite(x) else None for name, x in made._asdict().items()}
