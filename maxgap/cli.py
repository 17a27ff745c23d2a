"""The command line: ``maxgap split``, ``next``, ``plan`` and ``demo``.

Results go to the standard output, all else to the standard error. Exit status:

====  ==========================================================================
0     an answer is given, certified or not
2     the command cannot be understood
3     a file, or a row of it, cannot be used; which and why is said
130   interrupted (Ctrl-C)
141   whoever read the output closed it
====  ==========================================================================
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from maxgap._files import Source
    from maxgap._rows import Rows
    from maxgap.grouping import TablePartition
    from maxgap.planning import Forecast, Plan, Setting
    from maxgap.table import TableSplit

__all__ = ["main", "parser"]

OK, USAGE, BAD_DATA, INTERRUPTED, CLOSED = 0, 2, 3, 130, 141

EPILOG = """\
A FILE is CSV or TSV (also .gz), Parquet, or - for the standard input; it may be larger than memory.
Its first line names the columns.

exit status: 0 an answer is given, certified or not; 2 the command cannot be understood; 3 a file,
or a row of it, cannot be used; 130 interrupted; 141 whoever read the output closed it
"""

#: The items of the demo, and the probability of each number of stars, 1 to 5.
DEMO = {
    "Ada's soup": (0.02, 0.05, 0.13, 0.35, 0.45),
    "Bea's curry": (0.03, 0.06, 0.16, 0.35, 0.40),
    "Cem's pie": (0.04, 0.08, 0.18, 0.36, 0.34),
    "Dov's stew": (0.22, 0.30, 0.26, 0.14, 0.08),
    "Eli's salad": (0.26, 0.31, 0.24, 0.13, 0.06),
    "Fay's toast": (0.30, 0.32, 0.22, 0.11, 0.05),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit status.

    Examples
    --------
    >>> main(["plan", "--means", "1", "0", "--sigma", "0.1"])
    asking as told      about 4 (4 to 6)
    all equally often   about 4 (4 to 6)
    ratings in all until the split is certified; in brackets 9 of 10 simulations
    0
    """
    try:
        return _run(parser().parse_args(arguments))
    except SystemExit as leaving:  # from argparse: 0 after --help, 2 for what it does not know
        return leaving.code if isinstance(leaving.code, int) else USAGE
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return CLOSED


def _drop_output() -> None:
    """Let go of what cannot be written: Python would complain once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parser() -> argparse.ArgumentParser:
    """What the command line understands.

    Examples
    --------
    >>> parser().parse_args(["split", "ratings.csv", "--bounds", "1", "5"]).bounds
    [1.0, 5.0]
    """
    import maxgap

    whole = argparse.ArgumentParser(
        prog="maxgap",
        description="Where do noisily rated things fall apart into a better and a worse group?",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    whole.add_argument("--version", action="version", version=f"maxgap {maxgap.__version__}")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, help: str, run: Callable[[Any], int]) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name,
            help=help,
            description=help[0].upper() + help[1:] + ".",
            epilog=EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        made.set_defaults(run=run, parser=made)
        made.add_argument("--json", action="store_true", help="print JSON")
        return made

    split = command("split", "find the largest gap in a file of ratings, and certify it", _split)
    split.add_argument("file", metavar="FILE", help="the ratings, or -")
    following = command("next", "say what to rate next, given the ratings so far", _next)
    following.add_argument("file", metavar="FILE", help="the ratings, or -")
    following.add_argument("--batch", type=_whole, default=20, metavar="N", help="how many (20)")
    plan = command("plan", "say how many ratings it will take, if the means are these", _plan)
    plan.add_argument("file", metavar="FILE", nargs="?", help="take means and spreads from these")
    plan.add_argument("--means", type=float, nargs="+", metavar="M", help="guessed means")
    plan.add_argument(
        "--sd", type=float, metavar="SD", help="guessed spread (the largest there is)"
    )
    demo = command("demo", "collect ratings from a made-up crowd until certified", _demo)
    demo.add_argument(
        "--seed", type=_whole_or_zero, default=1, metavar="N", help="of the crowd (1)"
    )
    demo.add_argument("--csv", action="store_true", help="print the ratings, for `maxgap split -`")
    for made in (split, following):
        made.add_argument("--groups", type=_groups, default=2, metavar="K", help="how many (2)")
    for made in (split, following, plan):
        _add_reading(made)
    for made in (split, following, plan, demo):
        _add_setting(made, given=made is not demo)
    for made in (split, demo):
        made.add_argument("--plot", metavar="FILE", help="draw it: svg, pdf or png by its suffix")
    return whole


def _add_reading(command: argparse.ArgumentParser) -> None:
    reading = command.add_argument_group("the file")
    reading.add_argument("--arm", metavar="COLUMN", help="what is rated (the first of two)")
    reading.add_argument("--reward", metavar="COLUMN", help="the rating (the second of two)")
    reading.add_argument("--winner", metavar="COLUMN", help="for duels: who won")
    reading.add_argument(
        "--loser", metavar="COLUMN", help="and who lost, of a pair drawn at random"
    )
    reading.add_argument("--separator", type=_separator, metavar="CHAR", help="of columns")
    reading.add_argument("--encoding", default="utf-8", metavar="NAME", help="of the text (utf-8)")


def _add_setting(command: argparse.ArgumentParser, *, given: bool) -> None:
    setting = command.add_argument_group("the guarantee")
    if given:
        scale = setting.add_mutually_exclusive_group()
        scale.add_argument(
            "--bounds",
            type=float,
            nargs=2,
            metavar=("LO", "HI"),
            help="the smallest and largest rating that there could be",
        )
        scale.add_argument("--sigma", type=float, metavar="S", help="sub-Gaussian scale instead")
    setting.add_argument("--delta", type=float, default=0.05, help="error probability (0.05)")
    setting.add_argument("--confidence", metavar="NAME", help="of the intervals")
    setting.add_argument("--stopping", default="clusters", metavar="NAME", help="the certificate")


def _at_least(least: int, text: str) -> int:
    number = int(text)
    if number < least:
        raise argparse.ArgumentTypeError(f"a whole number from {least} is needed, got {text}")
    return number


def _whole(text: str) -> int:
    return _at_least(1, text)


def _groups(text: str) -> int:
    return _at_least(2, text)


def _whole_or_zero(text: str) -> int:
    return 0 if int(text) == 0 else _whole(text)


def _separator(text: str) -> str:
    character = {"\\t": "\t", "tab": "\t"}.get(text, text)
    if len(character) != 1 or character in '\r\n"':
        raise argparse.ArgumentTypeError(f"a single character is needed, got {text!r}")
    return character


# -- the commands ------------------------------------------------------------------------------


def _run(options: argparse.Namespace) -> int:
    from maxgap._files import BadFile

    if options.command != "demo":
        _check_scale(options)
    try:
        return options.run(options)
    except BadFile as problem:
        print(f"maxgap: {problem}", file=sys.stderr)
        return BAD_DATA


def _check_scale(options: argparse.Namespace) -> None:
    """Duels are won or lost, 1 or 0; of ratings the scale is to be said."""
    scale = options.bounds if options.bounds is not None else options.sigma
    if options.winner is None and options.loser is None:
        if scale is None:
            _refuse(options, "one of the arguments --bounds --sigma is required")
        return
    if options.winner is None or options.loser is None:
        _refuse(options, "--winner and --loser go together")
    if scale is not None or options.arm is not None or options.reward is not None:
        _refuse(options, "--winner and --loser: not with --arm, --reward, --bounds or --sigma")
    if options.stopping != "clusters":
        _refuse(
            options,
            f"--winner: the certificate is clusters, not {options.stopping}: "
            "the two rewards of a duel depend on each other",
        )
    options.bounds = [0.0, 1.0]


def _setting(options: argparse.Namespace, bounds: Any, sigma: Any) -> Setting:
    """What is assumed, checked before a long file is read."""
    from maxgap.planning import checked_setting

    try:
        return checked_setting(bounds, sigma, options.delta, options.confidence, options.stopping)
    except ValueError as problem:
        _refuse(options, str(problem))


def _refuse(options: argparse.Namespace, why: str) -> NoReturn:
    """Leave with the usage and the reason."""
    options.parser.error(why)
    raise AssertionError("error() leaves")


def _answer(options: argparse.Namespace) -> TableSplit | TablePartition:
    """The answer that the file gives."""
    from maxgap._files import BadFile, read_rows
    from maxgap.duels import Duels
    from maxgap.grouping import partition_of
    from maxgap.table import answer

    groups = getattr(options, "groups", 2)
    if groups > 2 and options.stopping != "clusters":
        _refuse(options, f"--groups {groups}: the certificate is clusters, not {options.stopping}")

    setting = _setting(options, options.bounds, options.sigma)
    source, rows = _to_read(options, setting)
    with rows:
        with _bar(source) as progress:
            read_rows(source, rows, progress)
        try:
            if isinstance(rows, Duels):
                rows.check_pairs()
            return answer(rows, setting) if groups == 2 else partition_of(rows, groups, setting)
        except ValueError as problem:
            raise BadFile(f"{source.name}: {problem}") from None


def _to_read(options: argparse.Namespace, setting: Setting) -> tuple[Source, Rows]:
    """The file, and where its rows go."""
    from maxgap._files import Source
    from maxgap._rows import Range, Rows
    from maxgap.duels import Duels

    how = options.separator, options.encoding
    if options.winner is not None:
        return Source(options.file, options.winner, options.loser, *how, duels=True), Duels()
    source = Source(options.file, options.arm, options.reward, *how)
    return source, Rows(Range() if setting.bounds is None else Range(*setting.bounds))


@contextmanager
def _bar(source: Source) -> Iterator[Callable[[int, int | None], None] | None]:
    """Progress on long work at a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc=source.name, unit="", unit_scale=True, delay=1.0, leave=False) as bar:

        def progress(done: int, total: int | None) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress


def _split(options: argparse.Namespace) -> int:
    found = _answer(options)
    _draw(found, options)
    _print(_as_json(found) if options.json else str(found))
    return OK


def _next(options: argparse.Namespace) -> int:
    from maxgap._answers import printable

    found = _answer(options)
    batch = found.batch(options.batch)
    if options.json:
        asked = [{"arm": arm, "ratings": n} for arm, n in batch.items()]
        _print({"certified": found.certified, "next": asked})
    elif found.certified:
        _print("Certified already: nothing more to rate.")
    else:
        names = [printable(arm) for arm in batch]
        width = max(map(len, names))
        lines = [f"{name:<{width}}  {n}" for name, n in zip(names, batch.values(), strict=True)]
        _print("\n".join(lines))
    return OK


def _plan(options: argparse.Namespace) -> int:
    from maxgap.planning import plan

    if (options.file is None) == (options.means is None):
        _refuse(options, "give either --means or a FILE to take them from")
    _setting(options, options.bounds, options.sigma)
    means, sd = options.means, options.sd
    if options.file is not None:
        found = _answer(options)
        means, spreads = found.estimates()
        sd = spreads if sd is None else sd
    try:
        made = plan(
            means,
            bounds=options.bounds,
            sigma=options.sigma,
            sd=sd,
            delta=options.delta,
            confidence=options.confidence,
            stopping=options.stopping,
        )
    except ValueError as problem:
        if options.file is None:
            _refuse(options, str(problem))
        from maxgap._files import BadFile

        raise BadFile(f"{options.file}: {problem}") from None
    _print(_plan_as_json(made) if options.json else str(made))
    return OK


def _demo(options: argparse.Namespace) -> int:
    import numpy as np

    from maxgap.table import split

    setting = _setting(options, (1, 5), None)
    if options.csv and (options.json or options.plot):
        _refuse(options, "--csv prints the ratings alone: not with --json or --plot")
    rng = np.random.default_rng(options.seed)
    items = list(DEMO)
    policy = setting.policy(items)
    rated: list[Any] = []
    stars: list[int] = []
    while not policy.stopped:
        asked = [item for item in policy.ask() for _ in range(20)]
        given = [int(rng.choice(5, p=DEMO[str(item)])) + 1 for item in asked]
        policy.tell(asked, given)
        rated += asked
        stars += given
    if options.csv:
        lines = "\n".join(f"{item},{n}" for item, n in zip(rated, stars, strict=True))
        _print(f"item,stars\n{lines}")
        return OK
    found = split(
        {"item": rated, "stars": stars},
        arm="item",
        reward="stars",
        bounds=(1, 5),
        delta=options.delta,
        confidence=options.confidence,
        stopping=options.stopping,
    )
    _draw(found, options)
    _print(_as_json(found) if options.json else f"{len(stars):,} made-up ratings.\n{found}")
    return OK


# -- what comes out ----------------------------------------------------------------------------


def _draw(found: TableSplit | TablePartition, options: argparse.Namespace) -> None:
    """Draw the answer into a file, if that is asked for."""
    if options.plot is None:
        return
    import matplotlib

    from maxgap._files import BadFile

    matplotlib.use("agg")
    figure = found.plot()
    try:
        figure.savefig(options.plot)
    except OSError as problem:
        raise BadFile(f"{options.plot}: {problem.strerror or problem}") from None
    except ValueError as problem:  # a suffix that matplotlib does not know
        _refuse(options, f"--plot: {problem}")


def _print(result: Any) -> None:
    """Print a text, or anything else as JSON."""
    from maxgap._files import BadFile

    if not isinstance(result, str):
        result = json.dumps(result, indent=2, allow_nan=False, default=str)
    elif (encoding := getattr(sys.stdout, "encoding", None)) is not None:
        # What the terminal cannot show is shown as its number.
        result = result.encode(encoding, "backslashreplace").decode(encoding)
    try:
        print(result, flush=True)
    except BrokenPipeError:
        raise
    except OSError as problem:
        _drop_output()
        raise BadFile(f"standard output: {problem.strerror or problem}") from None


def _as_json(found: TableSplit | TablePartition) -> dict[str, Any]:
    from maxgap.table import TableSplit

    arms = found.arms.to_dict("records")
    made: dict[str, Any]
    if isinstance(found, TableSplit):
        made = {
            "top": [row["arm"] for row in arms if row["group"] == "top"],
            "bottom": [row["arm"] for row in arms if row["group"] == "bottom"],
            "gap": found.gap,
            "certified": found.certified,
            "certain_gap": found.certain_gap,
        }
    else:
        made = {
            "groups": [
                [row["arm"] for row in arms if row["group"] == k + 1]
                for k in range(len(found.groups))
            ],
            "gaps": list(found.gaps),
            "certified": found.certified,
            "certain_gaps": list(found.certain_gaps),
        }
    rival = found.rival
    return made | {
        "rival": rival and {"gap": rival.gap, "below": rival.below, "above": rival.above},
        "next": list(found.next),
        "more_ratings": _forecast_as_json(found.more),
        "arms": arms,
    }


def _plan_as_json(made: Plan) -> dict[str, Any]:
    return {name: _forecast_as_json(getattr(made, name)) for name in ("adaptive", "equal")}


def _forecast_as_json(made: Forecast) -> dict[str, Any]:
    """Infinite numbers, which JSON has not, as null."""
    return {name: x if math.isfinite(x) else None for name, x in made._asdict().items()}
