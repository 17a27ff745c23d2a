"""How verdicts look on a page: a block a row, and the map of the paper."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from docutils.nodes import make_id

__all__ = ["ICONS", "Abstract", "block", "filters", "paper_map", "typeset"]

Row = Mapping[str, str]

ICONS = {
    "reproduced": "✓",
    "right after correcting": "✎",
    "partly": "◐",
    "not reproduced": "○",
    "wrong as stated": "✗",
    "yes": "●",
    "no": "–",
    "open": "?",
}
"""A sign of every outcome and answer: nothing is told by colour alone, and no answer to a question
of ours looks like a fault of the paper."""

_NAMES = "alpha gamma delta epsilon kappa mu nu rho sigma tau Delta"
_GREEK = dict(zip(_NAMES.split(), "αγδεκμνρστΔ", strict=True))
_NAMED = re.compile(
    r"(?:Theorem|Lemma|Lemmas|Corollary|Algorithm|Figure|Figures|[Ee]q\.|[Ee]quations?)"
    r" [\w()]+(?: (?:and|to) [\d()]+)?"
)
_EQUATION = re.compile(r"^[Ee]q(?:\.|uations?)")
_SIGNS = {"<=": "≤", ">=": "≥", "+-": "±", "!=": "≠"}
_SYMBOL = rf"(?:{'|'.join(_GREEK)}|[A-Za-z])"
_SCRIPT = r"(?:\([^()]*\)|[A-Za-z]+|[-+]?\d+)"
_MATHEMATICS = re.compile(
    rf"(?<![A-Za-z])(?P<symbol>{_SYMBOL})(?P<scripts>(?:[_^]{_SCRIPT})+)"
    rf"|(?<![A-Za-z-])(?P<greek>{'|'.join(_GREEK)})(?![A-Za-z-])"
    r"|\b(?P<letter>[KM])\b|(?P<sign><=|>=|\+-|!=)|\)\^(?P<power>-?\d)"
    r"|(?P<infinity>\binf(?:inity)?\b)|(?<![\w.)])-(?=\d|inf)|(?<=[\w)] )-(?= [\w(])"
    r"|(?P<range>(?<=[\d%])(?<!\b\d{4})-(?=\d|inf\b))"
    r"|(?<![\w.,])(?P<digits>\d+(?:\.\d+)?)e(?P<tens>[-+]?\d+)(?!\w)"
)


def typeset(text: str) -> str:
    """Mathematics in a line of plain words as HTML: letters, subscripts, exponents, signs.

    Examples
    --------
    >>> typeset("sum of gamma^-2, Delta_max >= mu_(0)")
    'sum of <i>γ</i><sup>−2</sup>, <i>Δ</i><sub>max</sub> ≥ <i>μ</i><sub>(0)</sub>'
    >>> typeset("from -2.1 to 3 < 4; an infinity of them, 1 - (2 K)^-2, no delta-method (4-5)")
    'from −2.1 to 3 &lt; 4; an ∞ of them, 1 − (2 <i>K</i>)<sup>−2</sup>, no delta-method (4–5)'
    >>> typeset("as -inf, below 1e-40 or 2.5e6")
    'as −∞, below 10<sup>−40</sup> or 2.5·10<sup>6</sup>'
    """
    parts, end = [], 0
    for match in _MATHEMATICS.finditer(text):
        parts += [html.escape(text[end : match.start()], quote=False), _as_html(match)]
        end = match.end()
    return "".join([*parts, html.escape(text[end:], quote=False)])


def _as_html(match: re.Match[str]) -> str:
    if match["sign"]:
        return _SIGNS[match["sign"]]
    if match["infinity"]:
        return "∞"
    if match["range"]:
        return "–"
    if match["tens"]:
        power = f"10<sup>{int(match['tens'])}</sup>".replace("-", "−")
        return power if match["digits"] == "1" else f"{match['digits']}·{power}"
    if match["power"]:
        return f")<sup>{typeset(match['power'])}</sup>"
    name = match["symbol"] or match["greek"] or match["letter"]
    if name is None:
        return "−"
    letter = _GREEK.get(name, name)
    base = f"<i>{letter}</i>"
    for kind, script in re.findall(rf"([_^])({_SCRIPT})", match["scripts"] or ""):
        tag = "sub" if kind == "_" else "sup"
        inner = script[1:-1] if kind == "^" and script.startswith("(") else script
        base += f"<{tag}>{typeset(inner)}</{tag}>"
    return base


def block(row: Row, chapters: Mapping[str, int] | None = None) -> str:
    """One verdict: outcome, what the paper says or what we asked, the evidence, the setting.

    With the numbers of the ``chapters`` the evidence links to the section that computed it;
    without, the block stands in that chapter.
    """
    outcome = row["outcome"]
    said = row.get("claim") or row["question"]
    key = f"{row['kind']}-{row['key']}"
    place = f'<span class="place">{typeset(row["place"])}</span>' if "place" in row else ""
    link = ""
    if chapters is not None:
        # The page has an apostrophe that is no ASCII, and goes without it in its anchor.
        page = f"{row['chapter']}.html#{make_id(row['at'].replace(chr(39), chr(8217)))}"
        heading = html.escape(re.sub(r"[$\\]", "", row["at"]), quote=False)
        link = f' <a href="{page}">Chapter {chapters[row["chapter"]]}, {heading}</a>'
    return (
        f'<article class="verdict" id="{key}" data-outcome="{make_id(outcome)}">'
        f'<p class="outcome"><span aria-hidden="true">{ICONS[outcome]}</span> '
        f"{outcome.capitalize()}{place}"
        f'<a class="permalink" href="#{key}" aria-label="Link to this verdict">#</a></p>'
        f'<p class="said">{typeset(said)}</p>'
        f'<p class="evidence">{typeset(row["evidence"])}{link}</p>'
        f"<details><summary>What would decide it, and the setting</summary>"
        f"<p>{typeset(row['decided'])}</p><p>{row['scope'].capitalize()}: "
        f"{typeset(row['setting'])}</p></details></article>"
    )


def filters(outcomes: Sequence[str], rows: Iterable[Row]) -> str:
    """A box to tick for every outcome; which blocks are shown is a matter of style alone.

    Every outcome has an address, ``#claims-partly``, at which its blocks are shown alone.
    """
    rows = list(rows)
    found = [row["outcome"] for row in rows]
    kind = f"{rows[0]['kind']}s"
    alone = "".join(
        f'<a class="alone" id="{kind}-{make_id(outcome)}" data-alone="{make_id(outcome)}" '
        f'href="#verdicts-{kind}">Only {outcome}: show all again</a>'
        for outcome in outcomes
    )
    boxes = "".join(
        f'<label data-outcome="{make_id(outcome)}"><input type="checkbox" checked '
        f'class="show-{make_id(outcome)}"> <span aria-hidden="true">{ICONS[outcome]}</span> '
        f"{outcome.capitalize()} ({found.count(outcome)})</label>"
        for outcome in outcomes
        if outcome in found
    )
    return (
        f'<div id="verdicts-{kind}">{alone}</div>'
        f'<fieldset class="verdict-filters"><legend>Show</legend>{boxes}</fieldset>'
        '<p class="none-shown">No box is ticked, and so no verdict is shown.</p>'
    )


def paper_map(rows: Iterable[Row], titles: Mapping[str, str]) -> str:
    """The paper section by section, a tile a claim, marked by its outcome; claims in its order."""
    lines = []
    for section, found in groupby(rows, key=lambda row: row["section"]):
        tiles = "".join(
            f'<li><a href="#claim-{row["key"]}" data-outcome="{make_id(row["outcome"])}">'
            f'<span aria-hidden="true">{ICONS[row["outcome"]]}</span> {_said(row)}'
            f'<span class="visually-hidden">: {row["outcome"]}</span></a></li>'
            for row in found
        )
        title = html.escape(titles[section])
        lines.append(f'<div class="paper-section"><p>{title}</p><ul>{tiles}</ul></div>')
    return f'<div class="paper-map">{"".join(lines)}</div>'


class Abstract:
    """What the paper's abstract says, each statement marked by its outcome and leading to it.

    Parameters
    ----------
    sentences : iterable of mapping
        What is said in our words (``says``), and the key of the claim that judges it (``claim``);
        one without a claim is no statement that could be wrong.
    rows : iterable of mapping
        The verdicts.
    page : str
        Address of the verdict page.
    """

    def __init__(
        self, sentences: Iterable[Mapping[str, str]], rows: Iterable[Row], page: str
    ) -> None:
        self.outcomes = {row["key"]: row["outcome"] for row in rows}
        self.sentences, self.page = list(sentences), page

    def __repr__(self) -> str:
        return " ".join(
            f"{sentence['says']} ({self.outcomes[sentence['claim']]})"
            if "claim" in sentence
            else sentence["says"]
            for sentence in self.sentences
        )

    def _repr_html_(self) -> str:
        parts = []
        for sentence in self.sentences:
            said = typeset(sentence["says"])
            if "claim" in sentence:
                key = sentence["claim"]
                outcome = self.outcomes[key]
                said = (
                    f'<a href="{self.page}#claim-{key}" data-outcome="{make_id(outcome)}">{said}'
                    f'</a> <span class="outcome" data-outcome="{make_id(outcome)}">'
                    f'<span aria-hidden="true">{ICONS[outcome]}</span> {outcome}</span>'
                )
            parts.append(said)
        return f'<p class="abstract">{" ".join(parts)}</p>'


def _said(row: Row) -> str:
    """What of the paper it is about, theorems, figures, equations, and the claim whole."""
    named = [_EQUATION.sub("Eq.", name) for name in _NAMED.findall(row["place"])]
    claim = row["claim"].rstrip(".")
    return typeset(f"{', '.join(named)}: {claim}" if named else claim)
