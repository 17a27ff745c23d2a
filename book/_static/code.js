// One switch at the top of a page shows or hides all code that is folded there.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const folded = document.querySelectorAll(".bd-article details.hide");
  const title = document.querySelector(".bd-article h1");
  if (folded.length === 0 || !title) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "all-code";
  const show = (open) => {
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "Hide all code" : "Show all code";
  };
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    for (const details of folded) details.open = open;
    show(open);
  });
  show(false);
  // Below what a chapter opens with, which takes the whole width.
  (document.querySelector(".bd-article .opening") ?? title).after(button);
});
