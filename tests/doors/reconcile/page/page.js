// Asks what OpenRefine asks: the manifest by GET, then forms with JSON in them. ?service= is the address that is asked,
// ?shown= what stands in its place afterwards, so that no key is in a picture.
const given = new URL(location).searchParams;
const service = given.get("service");
const rows = [
  ["Blue Heron Logistics LLC", "DE"],
  ["Amber Pangolin Glassworks", "Delaware"],
  ["Magic Ambiguous LLC", "NV"],
  ["Thimblewick Bakery LLC", "AL"],
  ["Magic Not Found LLC", "NY"],
].map(([name, state]) => ({ name, state, candidates: [], chosen: null }));
const at = (selector) => document.querySelector(selector);
let manifest;

const make = (tag, text, more = {}) => Object.assign(document.createElement(tag), { textContent: text, ...more });
const read = async (address) => (await fetch(address)).json();
const ask = async (field, value) => {
  const body = new URLSearchParams({ [field]: JSON.stringify(value) });
  return (await fetch(service, { method: "POST", body })).json();
};
const show = (id) => document.querySelectorAll("section").forEach((one) => (one.hidden = one.id !== id));

at("#address").value = service;
at("#add").onclick = async () => {
  manifest = await read(service);
  at("#address").value = given.get("shown");
  const facts = {
    Service: manifest.name,
    "Versions it speaks": manifest.versions.join(", "),
    Types: manifest.defaultTypes.map((one) => one.name).join(", "),
    "Rows at a time": manifest.batchSize,
    "While you type": Object.keys(manifest.suggest).join(", "),
    Preview: `${manifest.preview.width} × ${manifest.preview.height}`,
    "Columns to add": (await read(proposal())).properties.map((one) => one.name).join(" · "),
  };
  at("#manifest").replaceChildren(...Object.entries(facts).flatMap(([name, fact]) => [make("dt", name), make("dd", fact)]));
};
const proposal = () => {
  const { service_url, service_path } = manifest.extend.propose_properties;
  return `${service_url}${service_path}?type=${manifest.defaultTypes[0].id}`;
};

at("#reconcile").onclick = async () => {
  const queries = rows.map((row) => ({
    query: row.name,
    type: manifest.defaultTypes[0].id,
    type_strict: "should",
    properties: [{ pid: "state", v: row.state }],
  }));
  const found = await ask("queries", Object.fromEntries(queries.map((query, number) => [`q${number}`, query])));
  rows.forEach((row, number) => {
    row.candidates = found[`q${number}`].result;
    row.chosen = row.candidates.find((one) => one.match) || null;
  });
  write();
};
const write = () => {
  const known = rows.filter((row) => row.chosen).length;
  at("#progress").textContent = `${known} of ${rows.length} rows reconciled`;
  at("#rows tbody").replaceChildren(...rows.map((row) => {
    const line = make("tr", "");
    line.append(make("td", row.name), make("td", row.state), make("td", ""));
    line.lastChild.append(row.chosen ? writeChosen(row.chosen) : writeCandidates(row));
    return line;
  }));
};
const writeChosen = (one) => {
  const name = make("span", `✓ ${one.name}`, { className: "chosen" });
  name.onclick = () => preview(one);
  return name;
};
const writeCandidates = (row) => {
  if (!row.candidates.length) return make("span", "no candidate", { className: "none" });
  const list = make("ul", "");
  for (const one of row.candidates) {
    const item = make("li", "");
    const button = make("button", "Match");
    button.onclick = () => { row.chosen = one; write(); };
    item.append(button, make("span", `${one.name} · ${one.id}`), make("span", one.score, { className: "none" }));
    list.append(item);
  }
  return list;
};
const preview = (one) => {
  const { url, width, height } = manifest.preview;
  Object.assign(at("iframe"), { width, height, src: url.replace("{{id}}", encodeURIComponent(one.id)) });
  at("#preview").hidden = false;
};

const offer = async () => {
  const wanted = ["status", "statusClass", "formationDate", "registeredAgentName"];
  const { properties } = await read(proposal());
  at("#offered").replaceChildren(...properties.map((one) => {
    const label = make("label", "");
    label.append(make("input", "", { type: "checkbox", value: one.id, checked: wanted.includes(one.id) }), ` ${one.name}`);
    return label;
  }));
};
at("#extend").onclick = async () => {
  const chosen = rows.filter((row) => row.chosen);
  const columns = [...document.querySelectorAll("#offered :checked")].map((one) => ({ id: one.value }));
  const found = await ask("extend", { ids: chosen.map((row) => row.chosen.id), properties: columns });
  const head = make("tr", "");
  head.append(make("th", "Company"), ...found.meta.map((one) => make("th", one.name)));
  at("#columns thead").replaceChildren(head);
  at("#columns tbody").replaceChildren(...chosen.map((row) => {
    const line = make("tr", "");
    const cells = found.meta.map((one) => found.rows[row.chosen.id][one.id].map((value) => Object.values(value)[0]));
    line.append(make("td", row.chosen.name), ...cells.map((cell) => make("td", cell.join(", ").replaceAll("T00:00:00Z", ""))));
    return line;
  }));
};
Object.assign(window, { show, offer, write });
