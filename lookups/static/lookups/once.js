// <form data-once>, and the admin's own forms of a row: a second click while the first is under way sends nothing. What the first made may be shown once.
"use strict";
const ONCE = "[data-once], form[method=post][id$=_form]";
document.addEventListener("submit", event => {
  const form = event.target;
  if (!form.matches(ONCE)) return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll(ONCE)) delete form.dataset.sent;
});
