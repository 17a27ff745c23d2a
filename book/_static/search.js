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

if (typeof Search !== "undefined") {
  const htmlToText = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(NOT_TEXT).forEach((element) => element.remove());
    // Formulas stand in a page as TeX: of that their words are read.
    page.querySelectorAll(".math").forEach((formula) => {
      formula.textContent = formula.textContent.replace(/\\[()[\]{},;! ]|\\(?=[A-Za-z])/g, " ");
    });
    return htmlToText(page.documentElement.outerHTML, anchor);
  };
  const performSearch = Search.performSearch;
  Search.performSearch = (query) =>
    performSearch(query.replace(/\p{Script=Greek}/gu, (letter) => ` ${GREEK[letter] ?? letter} `).trim());
}
