// The documentation works without this: it remembers the language of examples, and finds while one writes.
"use strict";

const chosen = document.getElementById(`language-${document.documentElement.dataset.language}`);
if (chosen) chosen.checked = true;

document.addEventListener("change", event => {
  if (!event.target.matches(".languages input")) return;
  document.documentElement.dataset.language = event.target.value;
  try {
    localStorage.setItem("language", event.target.value);
  } catch { /* a browser that keeps nothing */ }
});

const search = document.querySelector("[data-search]");
const found = document.getElementById("docs-found");
let waiting;

/** Show what the page of the search shows, without leaving this one. */
async function find() {
  const asked = search.value;
  const address = `/docs/search/?q=${encodeURIComponent(asked)}`;
  const reply = await fetch(address);
  if (!reply.ok || reply.url !== new URL(address, location).href) return;
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  if (search.value !== asked) return; // what is asked now is answered by another
  found.replaceChildren(...page.getElementById("docs-found").children);
  history.replaceState(null, "", address);
}

if (found) {
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(find, 150);
  });
}

// "/" leads to the search, as everywhere
document.addEventListener("keydown", event => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, textarea, select")) return;
  event.preventDefault();
  search.focus();
});
