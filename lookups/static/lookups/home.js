// The search box answers in place: the same page that its form leads to is fetched, and its answer shown here.
"use strict";

{
  const form = document.querySelector("[data-box]");
  const place = document.getElementById("answer");
  const status = document.getElementById("asking");
  let running = null; // the question under way, and the clock beside it

  const stop = () => {
    if (running) { running.abort.abort(); clearInterval(running.clock); running = null; }
  };

  async function ask(url) {
    stop();
    const state = new URL(url).searchParams.get("state");
    const option = state && form.elements.state.querySelector(`option[value="${CSS.escape(state)}"]`);
    const name = option ? option.textContent : "the registry";
    const began = performance.now(), abort = new AbortController();
    const seconds = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
    const count = document.createElement("span");
    count.setAttribute("aria-hidden", "true"); // the clock is for the eye; the sentence is read aloud once
    status.classList.remove("visually-hidden");
    status.replaceChildren(`Asking ${name} … `, count);
    const mine = running = { abort, clock: setInterval(() => { count.textContent = seconds(); }, 100) };
    place.setAttribute("aria-busy", "true");
    try {
      const reply = await fetch(url, { signal: abort.signal, headers: { accept: "text/html" } });
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      const answer = page.getElementById("answer");
      if (!answer) throw new Error("another page");
      place.replaceChildren(...answer.childNodes);
      for (const button of place.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
      const said = place.querySelector("[data-sentence]");
      status.classList.add("visually-hidden"); // for the eye it stands above the answer
      status.textContent = said ? `${said.dataset.sentence}: ${seconds()}.` : "";
    } catch (error) {
      if (error.name === "AbortError") return;
      location.assign(url); // whatever it is, the page itself says it
    } finally {
      if (running === mine) { clearInterval(mine.clock); running = null; place.removeAttribute("aria-busy"); }
    }
  }

  if (form && place && status) {
    form.addEventListener("submit", event => {
      if (new URL(form.action).pathname !== "/try/") return;
      event.preventDefault();
      const url = new URL(form.action);
      url.search = new URLSearchParams(new FormData(form)).toString();
      ask(url.href);
    });
    document.addEventListener("click", event => {
      const link = event.target.closest("a[data-try]");
      if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      const asked = new URL(link.href).searchParams;
      if (asked.get("name")) form.elements.name.value = asked.get("name");
      if (asked.get("state")) form.elements.state.value = asked.get("state");
      ask(link.href);
    });
  }
}
