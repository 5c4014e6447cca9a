// Bulk without leaving the page: a table is dropped, rows are mended where they stand, progress comes by itself.
// Each of it is a form or a page that works without: the same address is asked, and the part that changed is put in.
"use strict";

const REACHED = "a[href], button, input:not([type=hidden]), select, textarea, summary"; // by keyboard

/** Where in a part of the page something stands: its own name, or its row and its number among what is reached there. */
function placeOf(one, part) {
  const rows = [...part.querySelectorAll("tbody tr")], row = one.closest("tbody tr");
  const at = [...(row || part).querySelectorAll(REACHED)].indexOf(one);
  return { name: one.getAttribute("aria-label") || one.id, id: row?.id, row: rows.indexOf(row), at };
}

/** What stands in that place now; where its row has gone, in the one that has come up. */
function findPlaced(place, part) {
  const named = place.name && [...part.querySelectorAll("[aria-label], [id]")].find(one => (one.getAttribute("aria-label") || one.id) === place.name);
  if (named) return named;
  const rows = [...part.querySelectorAll("tbody tr")];
  const row = (place.id && part.querySelector(`#${place.id}`)) || rows[Math.min(place.row, rows.length - 1)];
  const reached = [...(row || part).querySelectorAll(REACHED)];
  return reached[Math.min(place.at, reached.length - 1)];
}

/** The page behind an address or a form, and the part of it with this id put into ours. `sender` had the keyboard. */
async function swap(id, address, options, sender) {
  const reply = await fetch(address, { credentials: "same-origin", ...options });
  if (reply.status >= 500 || reply.status === 429) throw new Error("not now"); // as if the network were away
  const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
  const part = fresh.getElementById(id);
  const old = document.getElementById(id);
  if (!part || !old) {
    location.assign(reply.url);
    return;
  }
  const active = document.activeElement === document.body ? sender : document.activeElement; // a disabled button loses it
  const focused = active && old.contains(active) ? active : null;
  const place = focused && placeOf(focused, old);
  const typed = focused && focused.matches("input[type=text]") ? focused.value : null;
  const open = [...old.querySelectorAll("details[open]")].map(one => one.id || one.closest("tr")?.id).filter(Boolean);
  old.replaceWith(part);
  for (const name of open) {
    const kept = document.getElementById(name);
    const details = kept?.matches("details") ? kept : kept?.querySelector("details");
    if (details) details.open = true;
  }
  if (place) {
    const again = findPlaced(place, part);
    again?.focus({ preventScroll: true });
    const isSame = again && again.getAttribute("aria-label") === focused.getAttribute("aria-label");
    if (isSame && typed !== null) again.value = typed; // what was written while the answer was on its way
  }
  if (options?.method && reply.redirected) history.replaceState(null, "", reply.url.split("#")[0]);
  const said = fresh.querySelector("main > .notice");
  if (said) announce(said.textContent);
  follow();
}

document.addEventListener("submit", async event => {
  const form = event.target;
  if (!form.matches("[data-swap]") || event.defaultPrevented) return;
  event.preventDefault();
  const button = event.submitter;
  const body = new URLSearchParams(new FormData(form, button)), sender = document.activeElement;
  for (const one of form.querySelectorAll("button")) one.disabled = true;
  if (form.matches(".which, .mend form")) announce("Asking the registry…");
  try {
    await swap(form.dataset.swap, form.action, { method: "POST", body }, sender);
  } catch {
    announce("The service did not answer. Nothing was changed here; try again.");
    for (const one of form.querySelectorAll("button")) one.disabled = false;
    delete form.dataset.sent;
  }
});

// A field that was mended is saved when it is left
document.addEventListener("change", event => {
  const form = event.target.form;
  if (event.target.matches(".edit td input[form^='row-']") && form) form.requestSubmit(form.querySelector("[value=mend]"));
});

// Progress, as long as the page is looked at and nothing in it is being written
let following = false;
function follow() {
  const live = document.querySelector("[data-live]");
  if (!live || following) return;
  following = true;
  setTimeout(async () => {
    const writing = document.querySelector("#job .mend[open], #job form[data-sent]");
    if (!document.hidden && !writing) {
      try { await swap("job", location.href); } catch { /* the next turn asks again */ }
    }
    following = false;
    follow();
  }, Math.min(2, Number(live.dataset.live)) * 1000);
}
follow();

// A file dropped anywhere on the page
const drop = document.querySelector("[data-drop]");
if (drop) {
  drop.querySelector("[data-drop-hint]").hidden = false;
  let within = 0;
  addEventListener("dragenter", event => { event.preventDefault(); within += 1; drop.classList.add("over"); });
  addEventListener("dragleave", () => { within -= 1; if (within <= 0) drop.classList.remove("over"); });
  addEventListener("dragover", event => event.preventDefault());
  addEventListener("drop", event => {
    event.preventDefault();
    within = 0;
    drop.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    file.files = event.dataTransfer.files;
    send();
  });
  const file = drop.querySelector("input[type=file]");
  /** The file, unless it is too large: that is seen at once here, and by the service only once all of it has come. */
  function send() {
    const chosen = file.files[0], most = Number(file.dataset.most);
    file.setCustomValidity("");
    if (!chosen) return;
    const wrong = chosen.size > most ? `“${chosen.name}” has more than ${most / 1048576} MB. Leave out the columns that are not needed.` : "";
    file.setCustomValidity(wrong);
    announce(wrong || `Reading ${chosen.name}…`);
    drop.requestSubmit();
  }
  file.addEventListener("change", send);
}
