// Passkeys: a form with data-passkey="get" signs in with one, data-passkey="create" adds one.
"use strict";

const toBytes = text => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), sign => sign.charCodeAt(0));
const toText = bytes => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

function read(options) {
  const key = options.publicKey;
  key.challenge = toBytes(key.challenge);
  if (key.user) key.user.id = toBytes(key.user.id);
  for (const list of [key.allowCredentials, key.excludeCredentials]) {
    for (const one of list || []) one.id = toBytes(one.id);
  }
  return options;
}

function write(made) {
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (made.response[name]) response[name] = toText(made.response[name]);
  }
  const clientExtensionResults = made.getClientExtensionResults();
  return JSON.stringify({ id: made.id, rawId: toText(made.rawId), type: made.type, response, clientExtensionResults });
}

if (window.PublicKeyCredential) {
  for (const form of document.querySelectorAll("[data-passkey]")) {
    form.hidden = false;
    form.addEventListener("submit", async event => {
      event.preventDefault();
      const wrong = form.querySelector(".wrong");
      wrong.hidden = true;
      try {
        const answer = await fetch(form.dataset.options || form.action, { credentials: "same-origin" });
        const made = await navigator.credentials[form.dataset.passkey](read(await answer.json()));
        form.elements.credential.value = write(made);
        form.submit();
      } catch {
        wrong.hidden = false;
      }
    });
  }
}
