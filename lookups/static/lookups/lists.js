// Lists by keyboard: j and k move from row to row, Enter opens (the link has the focus), / goes to the search field.
"use strict";

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea, [contenteditable]")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "/") {
    const field = document.querySelector("[data-search]");
    if (field) { event.preventDefault(); field.focus(); field.select(); }
    return;
  }
  if (event.key !== "j" && event.key !== "k") return;
  const rows = [...document.querySelectorAll("[data-rows] > tbody > tr, ol[data-rows] > li")];
  if (!rows.length) return;
  const here = rows.findIndex(row => row.contains(document.activeElement));
  const next = here < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, here + (event.key === "j" ? 1 : -1)));
  const link = rows[next].querySelector("a");
  if (link) { event.preventDefault(); link.focus(); }
});
