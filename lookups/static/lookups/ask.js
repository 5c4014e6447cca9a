// While an answer is awaited: looks again, counts the seconds, and says at the form whom it asks.
"use strict";

const awaited = document.querySelector("[data-poll]");
if (awaited) {
  let last = awaited.innerHTML, looks = 0;
  const look = async () => {
    try {
      const reply = await fetch(awaited.dataset.poll, { headers: { Accept: "text/html" } });
      if (reply.status === 204 || reply.redirected) { location.reload(); return; }
      if (reply.ok) {
        const text = await reply.text();
        if (text !== last) {
          const held = awaited.contains(document.activeElement) && document.activeElement.getAttribute("href");
          awaited.innerHTML = text;
          last = text;
          if (held) awaited.querySelector(`a[href="${held}"]`)?.focus({ preventScroll: true }); // where the keyboard was
        }
      }
    } catch { /* the network is away for a moment: the next look will tell */ }
    looks += 1;
    setTimeout(look, looks < 40 ? 1500 : 5000);
  };
  setTimeout(look, 1000);
}

const reloading = document.querySelector("[data-reload]");
if (reloading) setTimeout(() => location.reload(), 1000 * Number(reloading.dataset.reload));

for (const seconds of document.querySelectorAll("[data-seconds]")) {
  const begun = Date.now() - 1000 * Number(seconds.dataset.seconds);
  setInterval(() => { seconds.textContent = String(Math.round((Date.now() - begun) / 1000)); }, 1000);
}

document.addEventListener("submit", event => {
  const form = event.target;
  const line = form.dataset.asking && document.getElementById(form.dataset.asking);
  if (!line || event.defaultPrevented) return;
  const chosen = form.querySelector("select[name=state]");
  if (chosen) remember(form);
  const whom = chosen && chosen.selectedIndex > 1 ? chosen.selectedOptions[0].textContent : "the registry";
  const begun = Date.now();
  line.hidden = false;
  line.textContent = `Asking ${whom}…`;
  const counting = setInterval(() => {
    line.textContent = `Asking ${whom}… ${Math.round((Date.now() - begun) / 1000)} seconds. Nothing is charged until it answers.`;
  }, 5000);
  window.addEventListener("pagehide", () => { clearInterval(counting); line.hidden = true; }, { once: true });
});

// No browser keeps this page or what was typed: the address does, so that "back" from the answer shows the question.
function remember(form) {
  const typed = ["name", "state", "kind", "entity_id", "ref", "party", "source", "identifiers"];
  const fields = [...new FormData(form)].filter(([name, value]) => value && typed.includes(name));
  history.replaceState(null, "", `?${new URLSearchParams(fields)}`);
}
