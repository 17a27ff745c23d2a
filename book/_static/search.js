// What the search shows of a page is its text, without the contents made for print; and Greek
// letters find the names that formulas spell them by.
"use strict";

const GREEK = {
  α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", η: "eta", θ: "theta", κ: "kappa",
  λ: "lambda", μ: "mu", ν: "nu", ξ: "xi", π: "pi", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi",
  ψ: "psi", ω: "omega", Γ: "Gamma", Δ: "Delta", Σ: "Sigma", Φ: "Phi", Ω: "Omega",
};

const NOT_TEXT = "#jb-print-docs-body, .bd-header-article, nav, footer, details.cite, "
  + "dialog, .bd-sidebar-secondary, .highlight";

const SIGNS = {
  ...Object.fromEntries(Object.entries(GREEK).map(([letter, name]) => [name, letter])),
  le: "≤", ge: "≥", ne: "≠", sum: "Σ", infty: "∞", times: "×", cdot: "·", dots: "…", sqrt: "√", mid: "|", "%": "%", epsilon: "ε",
};

/** What can be read of TeX in a line. */
function plain(tex) {
  return tex.replace(/\\([A-Za-z]+|.)/g, (_, name) => SIGNS[name] ?? "").replace(/[{}$]/g, "");
}

if (typeof Search !== "undefined") {
  const htmlToText = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(NOT_TEXT).forEach((element) => element.remove());
    // Formulas stand in a page as TeX.
    page.querySelectorAll("div.math").forEach((formula) => formula.remove());
    page.querySelectorAll(".math").forEach((formula) => {
      formula.textContent = plain(formula.textContent);
    });
    return htmlToText(page.documentElement.outerHTML, anchor);
  };
  const performSearch = Search.performSearch;
  Search.performSearch = (query) =>
    performSearch(query.replace(/\p{Script=Greek}/gu, (letter) => ` ${GREEK[letter] ?? letter} `).trim());
}
