// What is wider than the page scrolls by itself: then the keyboard has to reach it, too. The theme
// sees to what stands in the page; these stand in figures, or are made by MathJax.
"use strict";

const SCROLLING = {
  'mjx-container[display="true"]': "Formula that scrolls sideways",
  "figure.captioned-table .output": "Table that scrolls sideways",
};

function makeScrollingPartsReachable() {
  for (const [selector, label] of Object.entries(SCROLLING)) {
    for (const part of document.querySelectorAll(selector)) {
      if (part.scrollWidth > part.clientWidth) {
        part.tabIndex = 0;
        part.setAttribute("role", "group");
        part.setAttribute("aria-label", label);
      } else {
        for (const attribute of ["tabindex", "role", "aria-label"]) part.removeAttribute(attribute);
      }
    }
  }
}

window.addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  await document.fonts.ready;
  makeScrollingPartsReachable();
  window.addEventListener("resize", makeScrollingPartsReachable);
});
