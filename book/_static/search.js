// What the search shows of a page is its text, without the contents made for print; and Greek
// letters find the names that formulas spell them by.
"use strict";

const GREEK = {
  α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", η: "eta", θ: "theta", κ: "kappa",
  λ: "lambda", μ: "mu", ν: "nu", ξ: "xi", π: "pi", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi",
  ψ: "psi", ω: "omega", Γ: "Gamma", Δ: "Delta", Σ: "Sigma", Φ: "Phi", Ω: "Omega",
};

const NOT_TEXT = "#jb-print-docs-body, .bd-header-article, nav, footer, details.cite, "
  + "dialog, .bd-sidebar-secondary";

const MARKUP = /\\(?:math|text|operator)[a-z]*|\\[td]?frac|\\(?:left|right|[bB]ig+[lrm]?|q?quad)\b|\\.(?<![A-Za-z])|[\\{}$]/g;

if (typeof Search !== "undefined") {
  const htmlToText = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(NOT_TEXT).forEach((element) => element.remove());
    // Formulas stand in a page as TeX: in a line their letters are read, on a line of their own nothing.
    page.querySelectorAll("div.math").forEach((formula) => formula.remove());
    page.querySelectorAll(".math").forEach((formula) => {
      formula.textContent = formula.textContent.replace(MARKUP, " ");
    });
    return htmlToText(page.documentElement.outerHTML, anchor);
  };
  const performSearch = Search.performSearch;
  Search.performSearch = (query) =>
    performSearch(query.replace(/\p{Script=Greek}/gu, (letter) => ` ${GREEK[letter] ?? letter} `).trim());
}
