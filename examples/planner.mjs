// A planner in JavaScript: routes as they are, a mark when that is all, every change after it, and one report.
// It needs NATS and two published shapes: `cardtrail schema value.route` and `cardtrail schema calls`.
//
//   npm install @nats-io/transport-node@3.3
//   node planner.mjs nats://127.0.0.1:4222 trip-planner [principal [user password]]
import { connect, createInbox, headers, nanos } from "@nats-io/transport-node";
import { createHash, randomUUID } from "node:crypto";

const [url = "nats://127.0.0.1:4222", workflow = "trip-planner", principal = "public", user, pass] = process.argv.slice(2);

// Names as the tracker spells them: a subject token is plain or =XX per byte, a bucket's name is plain or a hash.
const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const token = (text) => {
  const plain = [...Buffer.from(text)].map((byte) => /[A-Za-z0-9_-]/.test(String.fromCharCode(byte))
    ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("") || "=";
  return plain.length > 128 ? `=h${sha256(text)}` : plain;
};
const bucket = `routes_${/^[A-Za-z0-9-]{1,64}$/.test(principal) ? principal : `_h${sha256(principal).slice(0, 40)}`}`;
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

// Answers to a planner's account arrive under its principal alone.
const inboxPrefix = `_INBOX_${token(principal)}`;
const nc = await connect({ servers: url, user, pass, inboxPrefix, name: `planner-${workflow}`, maxReconnectAttempts: -1 });

// A planner's account finds the tracker's JetStream under its domain; a broker without accounts has but one.
const api = user ? "$JS.cardtrail.API" : "$JS.API";

// One consumer on the workflow's own keys, pulled: the last value of each, then every change.
async function* routes() {
  const inbox = createInbox(inboxPrefix);
  const heard = nc.subscribe(inbox);
  const [stream, filter] = [`KV_${bucket}`, `$KV.${bucket}.routes.${token(principal)}.${token(workflow)}.>`];
  const name = `${token(principal)}-${randomUUID()}`;
  const how = { deliver_policy: "last_per_subject", ack_policy: "none", mem_storage: true, inactive_threshold: nanos(30_000) };
  const asked = JSON.stringify({ stream_name: stream, config: { name, filter_subject: filter, ...how } });
  const made = (await nc.request(`${api}.CONSUMER.CREATE.${stream}.${name}.${filter}`, asked, { timeout: 5_000 })).json();
  if (made.error) throw new Error(made.error.description);
  const next = JSON.stringify({ batch: 256, expires: nanos(30_000), idle_heartbeat: nanos(2_000) });
  let silent, live = made.num_pending === 0, wanted = 0;
  const ask = () => { wanted = 256; nc.publish(`${api}.CONSUMER.MSG.NEXT.${stream}.${name}`, next, { reply: inbox }); };
  const listen = () => { clearTimeout(silent); silent = setTimeout(() => heard.unsubscribe(), 6_000); };
  if (live) yield { caughtUp: true };
  try {
    ask(), listen();
    for await (const message of heard) {
      listen(); // a message or a heartbeat: we are not blind
      const status = message.headers?.code;
      if (status === 408) ask(); // the request has stood its time
      else if (status && status !== 100) throw new Error(message.headers.description);
      if (status) continue;
      if (--wanted === 0) ask();
      yield message.json();
      const pending = Number(message.reply.split(".").at(-1));
      if (!live && pending === 0) { live = true; yield { caughtUp: true }; }
    }
  } finally {
    clearTimeout(silent);
    heard.unsubscribe();
  }
}

async function report(candidate, call) {
  const body = {
    format: "cardtrail.calls/1", id: randomUUID(), agent: candidate.watched || candidate.agent, workflow, principal,
    profile_digest: candidate.profile_digest, calls: [call],
  };
  const options = { headers: headers(), timeout: 5_000 };
  options.headers.set("Nats-Msg-Id", body.id);
  return (await nc.request(`cardtrail.reports.${token(principal)}.${token(workflow)}`, JSON.stringify(body), options)).json();
}

const known = new Map();
let reported = false;
async function follow(change) {
  if (change.caughtUp) return say({ kind: "caught-up", skills: [...known.keys()] });
  const skill = change.key[2];
  if (change.row === null) { known.delete(skill); return say({ kind: "withdrawn", skill }); }
  known.set(skill, change.row);
  // The clock decides too: a judgement whose `stale_after` has passed is not to be trusted (`when_blind` says what then).
  const heardInTime = (one) => one.stale_after !== null && Date.parse(one.stale_after) > Date.now();
  const use = change.row.candidates.find((one) => one.usable && heardInTime(one));
  say({ kind: "route", skill, use: use?.agent ?? null, answer: change.row.answer, through: change.through });
  if (!use || reported) return;
  reported = true;
  const at = new Date().toISOString();
  const call = { at, operation: "SendMessage", skill: use.skill, version: "1.0", latency_ms: 12, error: null };
  say({ kind: "reported", seq: (await report(use, call)).seq });
}

for (;;) {
  try {
    for await (const change of routes()) await follow(change);
    say({ kind: "blind", why: "no heartbeat" });
  } catch (error) {
    say({ kind: "blind", why: error.message });
  }
  await new Promise((resolve) => setTimeout(resolve, 500)); // then begin again, with everything there is
}
