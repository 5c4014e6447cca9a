// Checks a file of evidence in the browser. It is sent nowhere; the service is asked for the list of its keys alone.
// The same checks in the same order as verify.py, written anew: two programs that agree prove more than one.
"use strict";

const OURS = "sos-lookup/", PACKAGE = "datapackage.json", DIGEST = "datapackage-digest.json", WARC = "archive/data.warc.gz";
const MOST_BYTES = 256 * 1024 * 1024;
const TITLES = { good: "Nothing in this file was changed", bad: "This file was changed", warn: "Not wholly checked" };
const LAID = "Its files do not lie as ours do: other programs may find others in it.";
const WORDS = { true: ["good", "Good"], false: ["bad", "Wrong"], null: ["warn", "Open"] };
const text = bytes => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
const bytesOf = string => new TextEncoder().encode(string);
const hex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");
const unhex = string => Uint8Array.from(string.match(/../g) || [], pair => parseInt(pair, 16));
const unbase64 = string => Uint8Array.from(atob(string), sign => sign.charCodeAt(0));

class Wrong extends Error {}

async function sha256(bytes) {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

async function namedHash(bytes) {
  return `sha256:${await sha256(bytes)}`;
}

async function link(previous, manifest) {
  return sha256(unhex(previous + manifest));
}

const CRC = Uint32Array.from({ length: 256 }, (_, number) => {
  for (let bit = 0; bit < 8; bit++) number = number & 1 ? (number >>> 1) ^ 0xedb88320 : number >>> 1;
  return number;
});

function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = CRC[(sum ^ byte) & 255] ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

// The files of a ZIP archive by name. Ours are never packed, lie one behind the other, and no two have one name.
function unpack(raw) {
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  let end = raw.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw new Wrong("It is no ZIP archive.");
  const files = new Map();
  let at = view.getUint32(end + 16, true), next = 0;
  const list = at;
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (view.getUint32(at, true) !== 0x02014b50) throw new Wrong("Its list of files is damaged.");
    const [packed, crc, size] = [view.getUint16(at + 10, true), view.getUint32(at + 16, true), view.getUint32(at + 24, true)];
    const [name, extra, comment] = [28, 30, 32].map(offset => view.getUint16(at + offset, true));
    const path = text(raw.subarray(at + 46, at + 46 + name));
    const start = view.getUint32(at + 42, true);
    if (packed !== 0) throw new Wrong("Its files are packed, and ours are not.");
    if (view.getUint32(start, true) !== 0x04034b50 || files.has(path)) throw new Wrong("Its list of files is damaged.");
    const from = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    if (text(raw.subarray(start + 30, start + 30 + view.getUint16(start + 26, true))) !== path) throw new Wrong("Its list of files is damaged.");
    const headers = [raw.subarray(start + 4, start + 30), raw.subarray(at + 6, at + 32)].map(hex); // the file's own, the list's
    if (start !== next || headers[0] !== headers[1] || extra !== 0 || view.getUint32(at + 20, true) !== size) throw new Wrong(LAID);
    next = from + size;
    const content = raw.slice(from, from + size);
    if (content.length !== size || crc32(content) !== crc) throw new Wrong(`${path} is damaged.`);
    files.set(path, content);
    at += 46 + name + extra + comment;
  }
  if (next !== list || at !== end || end + 22 !== raw.length) throw new Wrong(LAID);
  return files;
}

function need(files, path) {
  const content = files.get(path);
  if (!content) throw new Wrong(`${path} is missing.`);
  return content;
}

const json = (files, path) => JSON.parse(text(need(files, path)));
const ours = (files, name) => json(files, OURS + name);

async function verifySigned(document, signed, what) {
  let key;
  try {
    key = await crypto.subtle.importKey("raw", unbase64(signed.publicKey), { name: "Ed25519" }, false, ["verify"]);
  } catch (error) {
    if (error.name === "NotSupportedError") throw error;
    throw new Wrong(`The key of ${what} is none.`);
  }
  if (!await crypto.subtle.verify({ name: "Ed25519" }, key, unbase64(signed.signature), document)) {
    throw new Wrong(`The signature does not fit ${what}.`);
  }
}

// JSON in the one form of RFC 8785, for text, whole numbers and objects: all that a key's statement or a digest has.
function canonical(value) {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map(name => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

async function checkPackage(files) {
  const digest = json(files, DIGEST), content = need(files, PACKAGE);
  if (digest.hash !== await namedHash(content)) throw new Wrong(`${PACKAGE} was changed: it has another hash than ${DIGEST} says.`);
  const listed = json(files, PACKAGE).resources;
  const paths = [...files.keys()].filter(path => path !== PACKAGE && path !== DIGEST).sort();
  if (JSON.stringify(listed.map(one => one.path).sort()) !== JSON.stringify(paths)) {
    throw new Wrong("The files are not those that the package lists.");
  }
  for (const one of listed) {
    const bytes = files.get(one.path);
    if (one.hash !== await namedHash(bytes) || one.bytes !== bytes.length) {
      throw new Wrong(`${one.path} was changed: it has another hash than the package says.`);
    }
  }
  return [true, `All ${listed.length} files are as they were packed.`];
}

async function checkArchiveSignature(files, trusted) {
  const digest = json(files, DIGEST), signed = digest.signedData || {};
  const fixed = { ...signed, software: json(files, PACKAGE).software, version: "0.1.0" };
  if (Object.keys(fixed).length !== 6 || canonical({ path: PACKAGE, hash: signed.hash, signedData: fixed }) !== text(need(files, DIGEST))) {
    throw new Wrong(`${DIGEST} was changed.`);
  }
  if (signed.hash !== await namedHash(need(files, PACKAGE))) throw new Wrong("What is signed is another package.");
  if (signed.created !== json(files, PACKAGE).created) throw new Wrong("The package was signed at another time than it says.");
  const curve = { name: "ECDSA", namedCurve: "P-384" };
  const key = await crypto.subtle.importKey("spki", unbase64(signed.publicKey), curve, false, ["verify"]);
  const fits = await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, unbase64(signed.signature), bytesOf(signed.hash));
  if (!fits) throw new Wrong("The signature of the package does not fit it.");
  const keys = await listKeys(files, trusted), known = keys.find(one => one.archivePublicKey === signed.publicKey);
  const own = findKey(keys, known ? { ...known, keyId: known.id } : { keyId: "of the package" }, signed.created);
  return [trusted ? true : null, `It was signed on ${signed.created} with ${own.id}.`];
}

async function checkSignature(files) {
  const document = need(files, `${OURS}manifest.json`), signature = ours(files, "signature.json");
  const hash = await sha256(document);
  if (signature.sha256 !== hash) throw new Wrong(`The manifest was changed: its hash is ${hash}, and ${signature.sha256} was signed.`);
  await verifySigned(document, signature, "the manifest");
  return [true, `The manifest ${hash} is signed with the key ${signature.keyId}.`];
}

// Whether the key is on the list, was in use then, and every key of the list is vouched for by the one before.
async function checkKey(files, trusted) {
  const manifest = ours(files, "manifest.json"), signature = ours(files, "signature.json");
  const log = trusted || ours(files, "keys.json");
  let before = null;
  for (const one of log.keys) {
    if (before && one.signature) await checkVouched(one, before);
    if (one.id !== (await sha256(unbase64(one.publicKey))).slice(0, 16)) throw new Wrong(`The key ${one.id} is listed under another's name.`);
    before = one;
  }
  const own = findKey(log.keys, signature, manifest.answeredAt);
  if (!trusted) return [null, `The file is from ${manifest.service}: compare the key ${own.id} with the list there.`];
  const alone = log.keys.slice(1, log.keys.indexOf(own) + 1).filter(one => !one.signature);
  if (alone.length) return [null, `The key ${own.id} is on the list alone: no key before it vouches for ${alone.at(-1).id}.`];
  return [true, `The key ${own.id} is on the list of ${log.service}, and was in use then.`];
}

function findKey(keys, signed, at) {
  const own = keys.find(one => one.id === signed.keyId);
  if (!own || own.publicKey !== signed.publicKey) throw new Wrong(`The key ${signed.keyId} is none of the service's.`);
  if (at < own.validFrom || (own.retiredAt && at > own.retiredAt)) throw new Wrong(`The key ${own.id} was not in use on ${at}.`);
  return own;
}

// The keys that head and package may be signed with: the reader's, and what the last of them vouches for since.
async function listKeys(files, trusted) {
  const listed = ours(files, "keys.json").keys, known = [...(trusted ? trusted.keys : listed)];
  for (const one of known.at(-1).retiredAt ? [] : listed) {
    if (one.previous !== known.at(-1).id || !one.signature) continue;
    await checkVouched(one, known.at(-1));
    known.push(one);
  }
  return known;
}

function checkVouched(key, before) {
  const { number, retiredAt, signature, ...stated } = key;
  return verifySigned(bytesOf(canonical(stated)), { publicKey: before.publicKey, signature }, `the key ${key.id}`);
}

function linesOf(files) {
  const content = need(files, `${OURS}exchanges.jsonl`), lines = [];
  for (let from = 0; from < content.length;) {
    const end = content.indexOf(10, from);
    lines.push(content.subarray(from, end < 0 ? content.length : end));
    from = end < 0 ? content.length : end + 1;
  }
  return lines;
}

async function checkExchanges(files) {
  const lines = linesOf(files), signed = ours(files, "manifest.json").exchanges;
  if (lines.length !== signed.length) throw new Wrong(`${lines.length} exchanges are in the file, and ${signed.length} were signed.`);
  for (const [number, line] of lines.entries()) {
    if (await sha256(line) !== signed[number]) throw new Wrong(`The record of exchange ${number + 1} was changed.`);
  }
  return [true, lines.length ? `${lines.length} exchanges with the source, as they were signed.` : "No source answered."];
}

// The records of a WARC, each packed by itself: where one begins is known by the ten bytes that all of them begin with.
async function* listRecords(packed) {
  const first = packed.subarray(0, 10), starts = [];
  for (let at = 0; at < packed.length - 9; at++) {
    if (packed[at] === 0x1f && first.every((byte, offset) => packed[at + offset] === byte)) starts.push(at);
  }
  let left = MOST_BYTES;
  for (const [number, start] of starts.entries()) {
    const stream = new Blob([packed.subarray(start, starts[number + 1])]).stream().pipeThrough(new DecompressionStream("gzip"));
    const content = new Uint8Array(await new Response(stream).arrayBuffer());
    if ((left -= content.length) < 0) throw new Wrong("The archive is too large.");
    const [head, rest] = parted(content);
    const [version, headers] = readHead(head), size = rest.length - 4;
    if (version !== "WARC/1.1" || hex(rest.subarray(-4)) !== "0d0a0d0a" || headers["content-length"] !== String(size)) {
      throw new Wrong("The archive has a record of another length than it says.");
    }
    yield [headers["warc-type"], headers, rest.subarray(0, size)];
  }
}

// The first line of a record or an answer, and its headers by their lower-case names, each of them once.
function readHead(head) {
  const [first, ...lines] = text(head).split("\r\n");
  const pairs = lines.map(line => [line.slice(0, line.indexOf(": ")).toLowerCase(), line.slice(line.indexOf(": ") + 2)]);
  const other = pairs.some(([name], at) => !/^[a-z0-9-]+$/.test(name) || pairs.findIndex(one => one[0] === name) !== at);
  if (other || /[\r\n]/.test([first, ...lines].join(""))) throw new Wrong("The archive has a header that other programs may read otherwise.");
  return [first, Object.fromEntries(pairs)];
}

// What stands before the first empty line, and what after it.
function parted(content) {
  for (let at = 0; at < content.length - 3; at++) {
    if (content[at] === 13 && content[at + 1] === 10 && content[at + 2] === 13 && content[at + 3] === 10) {
      return [content.subarray(0, at), content.subarray(at + 4)];
    }
  }
  throw new Wrong("The archive has a record without an end.");
}

async function checkBytes(files, held) {
  const lines = linesOf(files);
  let number = -1;
  for await (const [kind, headers, block] of listRecords(need(files, WARC))) {
    if (kind === "warcinfo" && number < 0) continue;
    if (kind === "metadata") {
      number++;
      if (number >= lines.length || hex(block) !== hex(lines[number])) throw new Wrong(`The archive has another record of exchange ${number + 1} than was signed.`);
    } else if (number < 0 || (held.has(number) && kind !== "request")) {
      throw new Wrong(`The archive has a ${kind} that belongs to no exchange.`);
    }
    await checkRecord(kind, headers, block, JSON.parse(text(lines[number])), number + 1);
    if (kind === "response" || kind === "resource") held.add(number);
  }
  if (number + 1 !== lines.length) throw new Wrong(`The archive has ${number + 1} exchanges, and ${lines.length} were signed.`);
  return [true, `The bytes of ${held.size} of ${lines.length} exchanges are here, and are those that were signed.`];
}

async function checkRecord(kind, headers, block, record, number) {
  if (headers["warc-target-uri"] !== record.url || headers["warc-date"] !== record.at) {
    throw new Wrong(`The ${kind} of exchange ${number} names another address or time than was signed.`);
  }
  if (kind === "metadata") return;
  if (kind === "request") {
    const [, host, path, query] = /^[^:]*:\/\/([^/?#]*)([^?#]*)(\??[^#]*)/.exec(record.url);
    const asked = `${record.method} ${path || "/"}${query.length > 1 ? query : ""} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    if (text(block) !== asked) throw new Wrong(`The request of exchange ${number} is another one.`);
    return;
  }
  if (!["response", "resource"].includes(kind) || (kind === "resource") !== (record.copy !== null)) {
    throw new Wrong(`The archive has a ${kind} where none belongs.`);
  }
  let payload = block;
  if (kind === "response") {
    const [head, body] = parted(block), [first, headers] = readHead(head);
    payload = body;
    const [protocol, status] = first.split(" ");
    if (protocol !== "HTTP/1.1" || status !== String(record.status)) throw new Wrong(`The answer of exchange ${number} has another status than was signed.`);
    const signed = { ...record.headers, "content-length": String(body.length) };
    for (const name in headers) {
      if (headers[name] !== signed[name]) {
        throw new Wrong(`The answer of exchange ${number} has another ${name} than was signed.`);
      }
    }
  }
  if (await sha256(payload) !== record.body.sha256 || payload.length !== record.body.size) throw new Wrong(`The bytes of exchange ${number} were changed.`);
}

async function checkFacts(files) {
  const facts = files.get(`${OURS}facts.json`), manifest = ours(files, "manifest.json");
  if (!facts) return [null, "The facts are left out at the request of a person they are about."];
  if (await sha256(facts) !== manifest.facts.sha256) throw new Wrong("The facts were changed: they are not those that were signed.");
  if (JSON.parse(text(facts)).verdict !== manifest.verdict) throw new Wrong("The facts have another verdict than the manifest.");
  const source = manifest.livemode ? "" : ", by a fictional registry, for a test";
  return [true, `The answer was: ${manifest.verdict}${source}. Its facts are those that were signed.`];
}

async function checkEntry(files) {
  const { entry } = ours(files, "chain.json");
  if (entry.manifest !== await sha256(need(files, `${OURS}manifest.json`))) throw new Wrong("The chain has another manifest in this place.");
  if (entry.hash !== await link(entry.previous, entry.manifest)) throw new Wrong("The entry of the chain does not follow from the one before it.");
  return [true, `It is entry ${entry.number} of the chain.`];
}

async function checkHead(files, trusted) {
  const { entry, head, links } = ours(files, "chain.json");
  if (head === null) return [null, "The chain had no head over this entry yet when the file was made; a later file has."];
  await verifySigned(bytesOf(head.document), head, "the head");
  const said = JSON.parse(head.document);
  findKey(await listKeys(files, trusted), head, said.at);
  if (links === null) return [null, `The head at entry ${said.number} is too far to show the way there.`];
  let hash = entry.hash;
  for (const manifest of links) hash = await link(hash, manifest);
  if (said.number !== entry.number + links.length || said.hash !== hash) throw new Wrong("The chain does not lead from this entry to its head.");
  return [trusted ? true : null, `Its head, ${said.number}, was signed ${said.at} with ${head.keyId}.`];
}

async function checkStamp(files) {
  const { head } = ours(files, "chain.json");
  if (head === null || !head.token) return [null, "No outside authority has vouched for the time."];
  if (!hex(unbase64(head.token)).includes(await sha256(bytesOf(head.document)))) throw new Wrong("The time-stamp is of something else.");
  return [null, "An authority has time-stamped the head; verify.py checks who it is."];
}

async function attempt(part, check) {
  try {
    const [holds, words] = await check();
    return { part, holds, text: words };
  } catch (error) {
    if (error.name === "NotSupportedError") {
      return { part, holds: null, text: "Your browser cannot check this kind of signature: have the service check it." };
    }
    return { part, holds: false, text: error instanceof Wrong ? error.message : "It is not written as it has to be." };
  }
}

async function judge(raw, trusted) {
  let files;
  try {
    files = unpack(raw);
  } catch (error) {
    const why = error instanceof Wrong ? error.message : "Its list of files is damaged.";
    return [{ part: "file", holds: false, text: `It cannot be read as a file of evidence: ${why}` }];
  }
  const held = new Set();
  const found = [];
  for (const [part, check] of [
    ["file", checkPackage], ["archive signature", checkArchiveSignature], ["signature", checkSignature],
    ["key", checkKey], ["exchanges", checkExchanges], ["bytes", () => checkBytes(files, held)],
    ["facts", checkFacts], ["chain", checkEntry], ["head", checkHead], ["time-stamp", checkStamp],
  ]) {
    found.push(await attempt(part, () => check(files, trusted)));
    if (part === "bytes" && found.at(-1).holds) found.push(...missing(files, held));
  }
  return found;
}

// The bytes that the file has not, and why.
function missing(files, held) {
  const why = { withheld: "left out at the request of a person they are about", not_kept: "not kept (any more)" };
  return linesOf(files).map((_, number) => number).filter(number => !held.has(number)).map(number => {
    let state;
    try { state = ours(files, "contents.json").bodies[number]; } catch { state = null; }
    return { part: "bytes", holds: null, text: `The bytes of exchange ${number + 1} are ${why[state] || "not here"}.` };
  });
}

// The list of this service's keys, where the file says that it is from here, or with a key of here, as before a move.
async function findTrusted(raw) {
  const log = await (await fetch("/.well-known/sos-lookup-keys.json")).json();
  try {
    const files = unpack(raw), { keyId } = ours(files, "signature.json");
    return ours(files, "manifest.json").service === log.service || log.keys.some(one => one.id === keyId) ? log : null;
  } catch {
    return log;
  }
}

function show(found, isOurs, name, raw) {
  const verdict = found.some(one => one.holds === false) ? "bad" : isOurs && !found.some(one => /^Your browser/.test(one.text)) ? "good" : "warn";
  const title = document.getElementById("verdict"), list = document.getElementById("findings");
  title.textContent = raw && (raw[0] !== 0x50 || raw[1] !== 0x4b) ? "This is no file of evidence" : TITLES[verdict]; // no ZIP
  title.className = `notice ${verdict}`;
  document.getElementById("judged").textContent = `${name}, checked by your browser`;
  list.replaceChildren(...found.map(one => {
    const line = document.createElement("li");
    const [kind, word] = WORDS[String(one.holds)];
    for (const [tag, style, content] of [["span", `tag ${kind}`, word], ["strong", "", one.part[0].toUpperCase() + one.part.slice(1)], ["span", "why", one.text]]) {
      const piece = document.createElement(tag);
      piece.className = style;
      piece.textContent = content;
      line.append(piece, " ");
    }
    return line;
  }));
  document.getElementById("result").hidden = false;
  title.focus();
}

async function check(file) {
  if (!file) return;
  try {
    if (file.size > MOST_BYTES) throw new Wrong("It is too large for a browser.");
    const raw = new Uint8Array(await file.arrayBuffer()), trusted = await findTrusted(raw);
    show(await judge(raw, trusted), trusted !== null, file.name, raw);
  } catch (error) {
    show([{ part: "file", holds: null, text: error instanceof Wrong ? error.message : "It, or the list of keys, could not be read: try again." }], false, file.name);
  }
}

if (typeof document !== "undefined" && window.crypto && crypto.subtle && window.DecompressionStream) {
  const input = document.getElementById("file"), drop = document.getElementById("check");
  document.querySelectorAll(".scripted").forEach(part => { part.hidden = false; });
  document.querySelectorAll(".plainly").forEach(part => { part.hidden = true; });
  input.addEventListener("change", () => check(input.files[0]));
  drop.addEventListener("dragover", event => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", event => {
    event.preventDefault();
    drop.classList.remove("over");
    input.files = event.dataTransfer.files;
    check(input.files[0]);
  });
}
