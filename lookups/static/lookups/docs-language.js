// Before anything is drawn: the language of examples that this reader chose last, so that nothing moves.
"use strict";
try {
  document.documentElement.dataset.language = localStorage.getItem("language") || "sh";
} catch {
  document.documentElement.dataset.language = "sh"; // a browser that keeps nothing
}
