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

/** Why there is none: the service's reason, or the browser's; otherwise what the page says. */
function reason(error, usual) {
  if (error.reason) return error.reason;
  return error.name === "InvalidStateError" ? "This device has a passkey for you here already." : usual;
}

/** What the browser is to do; where the service has a reason against it, that is raised. */
async function ask(address) {
  const answer = await fetch(address, { credentials: "same-origin" });
  if (answer.redirected) throw { reason: "You are signed out. Load this page again." };
  if (answer.status === 429) throw { reason: "Too many tries. Wait a minute." };
  const options = await answer.json();
  if (!answer.ok) throw { reason: options.error };
  return read(options);
}

if (window.PublicKeyCredential) {
  for (const form of document.querySelectorAll("[data-passkey]")) {
    form.hidden = false;
    const wrong = form.querySelector(".wrong");
    const usual = wrong.textContent;
    form.addEventListener("submit", async event => {
      event.preventDefault();
      wrong.hidden = true;
      try {
        const made = await navigator.credentials[form.dataset.passkey](await ask(form.dataset.options || form.action));
        form.elements.credential.value = write(made);
        form.submit();
      } catch (error) {
        wrong.textContent = reason(error, usual);
        wrong.hidden = false;
      }
    });
  }
}
