// What every page may use. All of it only adds to what works without script.
"use strict";

/** Say a sentence to everybody: seen for four seconds, and read aloud. */
function announce(text) {
  const toast = document.getElementById("toast");
  if (!toast) return;
  toast.textContent = text;
  clearTimeout(announce.timer);
  announce.timer = setTimeout(() => { toast.textContent = ""; }, 4000);
}

// A form that came back begins where something is wrong
document.querySelector("main [aria-invalid=true]")?.focus();

// <button data-copy="id of the text" hidden>: shown where the browser can copy
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
}

document.addEventListener("click", async event => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    try {
      await navigator.clipboard.writeText(document.getElementById(copy.dataset.copy).textContent);
      announce("Copied.");
    } catch {
      announce("The browser did not allow copying.");
    }
  }
});

// A menu that lies over the page is closed by Escape, and the keyboard goes on where it was opened
document.addEventListener("keydown", event => {
  const menu = event.key === "Escape" && document.querySelector(".me[open], .more[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
