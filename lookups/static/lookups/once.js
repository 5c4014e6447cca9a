// <form data-once>: a second click while the first is under way sends nothing. What the first made may be shown once.
"use strict";
document.addEventListener("submit", event => {
  const form = event.target;
  if (!form.matches("[data-once]")) return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("[data-once]")) delete form.dataset.sent;
});
