// What the admin's skin and Django's own scripts make otherwise than our pages may.
"use strict";
htmx.config.includeIndicatorStyles = false; // it would write a style into the page

// Names for what Django's scripts draw: the hints of two lists are pictures, a field that searches has its label's name
new MutationObserver(() => {
  for (const hint of document.querySelectorAll("span.help-tooltip:not([role])")) hint.setAttribute("role", "img");
  for (const box of document.querySelectorAll(".select2-selection[role], .select2-selection__rendered[role]")) {
    if (box.hasAttribute("aria-label")) continue;
    const label = box.closest(".select2")?.previousElementSibling?.labels?.[0];
    if (label) box.setAttribute("aria-label", label.textContent.trim());
  }
}).observe(document, { childList: true, subtree: true });
