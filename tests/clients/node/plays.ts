// What a customer of ours writes in TypeScript: types from openapi-typescript, calls by openapi-fetch, one function a reply.
// `same` compares with a value that the document allows there: what does not fit its type does not compile.
import createClient from "openapi-fetch";
import type { operations, paths } from "./api.js";

declare const process: { argv: string[] };
type Replies<Name extends keyof operations> = operations[Name]["responses"];
type Body<Reply> = Reply extends { content: infer Kinds } ? Kinds[keyof Kinds] : never;
type Answer = { data?: unknown; error?: unknown; response: Response };

const [url = "", secret = "", scene = "", given = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: secret ? { "x-api-key": secret } : {} });

function same<T>(found: T, wanted: NoInfer<T>): void {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

function text(found: string): void {
  same(typeof found, "string");
}

function number(found: number): void {
  same(typeof found, "number");
}

/** The body as the document types it for this operation and status. */
function body<Name extends keyof operations, Status extends keyof Replies<Name> & number>(
  _: Name, status: Status, answer: Answer,
): Body<Replies<Name>[Status]> {
  same(answer.response.status, status);
  return (answer.data ?? answer.error) as Body<Replies<Name>[Status]>;
}

function ask(entity_name: string, more: { searchType?: "ucc"; dateAfter?: string } = {}, key?: string) {
  const header = key === undefined ? {} : { "Idempotency-Key": key };
  return client.POST("/v1/lookup", { params: { header }, body: { entity_name, state: "DE", ...more } });
}

const scenes: Record<string, () => Promise<void>> = {
  async found() {
    const reply = body("lookup", 200, await ask("Blue Heron Logistics LLC"));
    if (!("entityName" in reply.data)) throw new Error("no company");
    same(reply.verdict, "found");
    same(reply.data.entityName, "BLUE HERON LOGISTICS LLC");
    same(reply.data.normalized.statusClass, "active");
    same([reply.success, reply.livemode, reply.walletBalance], [true, false, null]);
    number(reply.cost);
    text(reply.dataAsOf);
    same(reply.data.evidence.sha256.length, 64);
    for (const officer of reply.data.officers) text(officer.name);
  },
  async liens() {
    const reply = body("lookup", 200, await ask("Blue Heron Logistics LLC", { searchType: "ucc" }));
    if (!("filings" in reply.data)) throw new Error("no liens");
    same(reply.verdict, "found");
    for (const filing of reply.data.filings) text(filing.fileNumber);
  },
  async later() {
    const reply = body("lookup", 202, await ask("Magic Later LLC"));
    same([reply.async, reply.verdict], [true, null]);
    number(reply.pollInterval);
    console.log(reply.jobId);
  },
  async pending() {
    const reply = body("getJob", 200, await follow());
    same([reply.status, reply.verdict], ["pending", null]);
    number(reply.pollInterval ?? 0);
  },
  async ended() {
    const reply = body("getJob", 200, await follow());
    if (!reply.result || !("data" in reply.result)) throw new Error("no result");
    same([reply.status, reply.verdict, reply.result.verdict], ["complete", "found", "found"]);
  },
  async refused() {
    const reply = body("lookup", 400, await ask("Magic Found LLC", { dateAfter: "2026-01-01" }));
    if (!("details" in reply)) throw new Error("no details");
    same(reply.code, "invalid_request");
    same(reply.retryable, false);
    same(reply.details?.["dateAfter"]?.length, 1);
  },
  async no_funds() {
    const reply = body("lookup", 402, await ask("Magic No Funds LLC"));
    same([reply.status, reply.code, reply.challengeId], [402, "insufficient_balance", null]);
    number(reply.balanceStored ?? NaN);
    text(reply.detail);
  },
  async keyless() {
    const reply = body("lookup", 402, await ask("Magic Found LLC"));
    same(reply.status, 402);
    same(reply.challengeId?.length === 0, false);
  },
  async not_found() {
    const reply = body("lookup", 404, await ask("Magic Not Found LLC"));
    same([reply.code, reply.ambiguous, reply.cost], ["entity_not_found", false, 0]);
    same(reply.suggestions, []);
  },
  async ambiguous() {
    const reply = body("lookup", 404, await ask("Magic Ambiguous LLC"));
    same([reply.code, reply.verdict, reply.ambiguous], ["ambiguous_name", "ambiguous", true]);
    for (const one of reply.suggestions) text(one.entityName);
    same(reply.suggestions.length > 1, true);
  },
  async conflict() {
    body("lookup", 200, await ask("Magic Found LLC", {}, "order-17"));
    const reply = body("lookup", 409, await ask("Blue Heron Logistics LLC", {}, "order-17"));
    if (!("code" in reply)) throw new Error("no code");
    same(reply.code, "idempotency_conflict");
  },
  async too_often() {
    const answer = await ask("Magic Too Many Requests LLC");
    const reply = body("lookup", 429, answer);
    same([reply.code, reply.retryable], ["rate_limited", true]);
    same(Number(answer.response.headers.get("Retry-After")) > 0, true);
  },
  async fails() {
    const reply = body("lookup", 503, await ask("Magic Fails LLC"));
    if (!("state" in reply)) throw new Error("a payment's problem");
    same([reply.code, reply.state, reply.cost], ["source_unavailable", "DE", 0]);
    text(reply.reason);
  },
  async many() {
    const entities = [{ entity_name: "Magic Found LLC", state: "DE" }, { entity_name: "Magic Not Found LLC", state: "NY" }];
    const reply = body("bulkLookup", 202, await client.POST("/v1/bulk-lookup", { body: { entities } }));
    same(reply.total, 2);
    console.log(reply.job_id);
  },
  async rows() {
    const path = { job_id: given };
    const page = body("getBulkJob", 200, await client.GET("/v1/bulk-lookup/{job_id}", { params: { path } }));
    if (typeof page === "string") throw new Error("no JSON");
    same(page.results.map((row) => row.status), ["found", "not_found"]);
    same(page.results.map((row) => row.verdict), ["found", "not_found"]);
  },
};

function follow() {
  return client.GET("/v1/lookup/status/{jobId}", { params: { path: { jobId: given } } });
}

const play = scenes[scene];
if (!play) throw new Error(`no scene ${scene}`);
await play();
