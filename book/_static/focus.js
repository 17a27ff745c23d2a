// A formula wider than the page scrolls by itself: then the keyboard has to reach it, too.
"use strict";

function makeScrollingFormulasReachable() {
  for (const formula of document.querySelectorAll('mjx-container[display="true"]')) {
    if (formula.scrollWidth > formula.clientWidth) {
      formula.tabIndex = 0;
      formula.setAttribute("role", "group");
      formula.setAttribute("aria-label", "Formula that scrolls sideways");
    } else {
      for (const attribute of ["tabindex", "role", "aria-label"]) formula.removeAttribute(attribute);
    }
  }
}

window.addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  await document.fonts.ready;
  makeScrollingFormulasReachable();
  window.addEventListener("resize", makeScrollingFormulasReachable);
});
