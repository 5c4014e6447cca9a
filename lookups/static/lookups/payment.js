// While a payment is awaited: looks whether it has come, and puts what is new into the page, where somebody may be typing.
"use strict";

function wait(page) {
  const awaited = page.querySelector("[data-look]");
  if (awaited) setTimeout(look, 1000 * Number(awaited.dataset.pause), awaited.dataset.look, page);
}

async function look(address, before) {
  let fresh = before;
  try {
    const reply = await fetch(address);
    if (!reply.ok) throw new Error("not now");
    fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
    for (const old of document.querySelectorAll("[data-fresh]")) {
      const now = fresh.getElementById(old.id);
      if (now && now.innerHTML !== old.innerHTML) old.innerHTML = now.innerHTML; // what stays is not read aloud again
    }
  } catch { /* the service is away for a moment: the next look will tell */ }
  wait(fresh);
}
wait(document);
