// What a reader gains with a script: liveness, keys, own time in titles, copying. Everything else works without.
"use strict";
const $ = (id) => document.getElementById(id);
const root = document.documentElement;
root.classList.add("js");

// --- live -----------------------------------------------------------------------------------------------------------
const live = $("live"), words = $("live-text"), pause = $("pause"), said = $("said"), feed = $("feed");
const QUIET_MS = 12000, SAY_MS = 5000, AGAIN_MS = 8000;
let paused = false, missed = false, heard = 0, held = null, lastSaid = $("view")?.dataset.said ?? "", saidAt = 0;

function stands(state, text) {
  if (live.dataset.state !== state) live.dataset.state = state;
  if (words.textContent !== text) words.textContent = text;
}
const clock = (ms) => `${new Date(ms).toISOString().slice(11, 19)} UTC`;
function still() {
  if (!feed || paused) return;
  if (heard && Date.now() - heard > QUIET_MS) stands("stale", `stale since ${clock(heard)}`);
}
function announce() {
  const now = $("view").dataset.said;
  if (now === lastSaid || Date.now() - saidAt < SAY_MS) return;
  lastSaid = now;
  saidAt = Date.now();
  said.textContent = now;
}
function keepFocus() { // a row that moved to another place takes the focus with it
  if (!held || held === document.body || document.activeElement !== document.body) return;
  const same = held.isConnected ? held : [...$("view").querySelectorAll("a")].find((link) => link.getAttribute("href") === held.getAttribute("href"));
  same?.focus({ preventScroll: true });
}
if (feed) {
  stands("waiting", "connecting");
  feed.addEventListener("htmx:sse:after:connection", () => { heard = Date.now(); if (!paused) stands("live", "live"); });
  feed.addEventListener("htmx:sse:before:connection", (event) => {
    if (event.detail.connection.attempt > 0 && !paused && live.dataset.state !== "stale") stands("waiting", "reconnecting");
  });
  feed.addEventListener("htmx:sse:error", () => { if (!paused && live.dataset.state !== "stale") stands("waiting", "reconnecting"); });
  feed.addEventListener("htmx:sse:before:message", (event) => {
    heard = Date.now();
    held = document.activeElement;
    if (paused && !event.detail.message.event) { missed = true; pause.textContent = "Resume (news)"; event.preventDefault(); }
  });
  feed.addEventListener("htmx:sse:after:message", () => { keepFocus(); dress($("view")); announce(); });
  feed.addEventListener("beat", (event) => {
    const tracker = JSON.parse(event.detail.data);
    if (paused) return;
    if (tracker.state === "live") stands("live", "live");
    else if (tracker.state === "blind") stands("stale", `stale since ${clock(Date.parse(tracker.since))}`);
    else stands("waiting", "loading");
  });
  setInterval(() => { still(); announce(); }, 1000);
  setInterval(() => { if (!feed._htmx?.sse) { stands("waiting", "reconnecting"); htmx.trigger(feed, "again"); } }, AGAIN_MS);
  pause?.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? "Resume" : "Pause";
    stands(paused ? "paused" : "live", paused ? `paused at ${clock(Date.now())}` : "live");
    if (!paused && missed) {
      missed = false;
      htmx.ajax("GET", location.href, { target: "#view", swap: "outerMorph", select: "#view" }).then(() => dress($("view")));
    }
  });
}

if (feed) setTimeout(() => { // htmx looks at the page in a timeout of its own, on a slow line before its extension is there:
  feed.setAttribute("hx-sse:connect", feed.dataset.live); // it must find nothing to connect, then or later
  htmx.process(feed);
});

// Open details, and what a reader has typed or scrolled to, stay as they are when the page moves under them.
htmx.registerExtension("calm", {
  htmx_before_morph_attr: (element, detail) => !(element.tagName === "DETAILS" && detail.attrName === "open"),
});

// --- times: UTC is shown, the reader's own time and the age stand in the title ------------------------------------------
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
function age(seconds) {
  const [, size] = UNITS.find(([, s]) => seconds >= s) ?? UNITS[3];
  return `${Math.max(0, Math.floor(seconds / size))} ${{ 86400: "d", 3600: "h", 60: "m", 1: "s" }[size]}`;
}
function dress(part) {
  if (live.dataset.state === "still") return;
  for (const time of part.querySelectorAll("time[data-age]")) {
    const text = age((Date.now() - new Date(time.dateTime)) / 1000);
    if (time.textContent !== text) time.textContent = text;
  }
}
dress(document);
document.addEventListener("pointerover", (event) => {
  const time = event.target.closest?.("time[datetime]");
  if (!time) return;
  const at = new Date(time.dateTime), seconds = (Date.now() - at) / 1000;
  const [unit, size] = UNITS.find(([, s]) => Math.abs(seconds) >= s) ?? UNITS[3];
  const utc = `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  time.title = `${utc}, ${at.toLocaleString()} here, ${relative.format(-Math.round(seconds / size), unit)}`;
});
setInterval(() => { if (!paused) dress(document); }, 15000);

if (matchMedia("(max-width: 60rem)").matches && $("facets")) $("facets").open = false;

// --- keys ----------------------------------------------------------------------------------------------------------------
const dialog = $("keys"), switched = $("keys-on");
const store = { get: (k) => { try { return localStorage.getItem(k); } catch { return null; } },
                set: (k, v) => { try { localStorage.setItem(k, v); } catch { /* private mode keeps nothing */ } } };
switched.checked = store.get("keys") !== "off";
switched.addEventListener("change", () => store.set("keys", switched.checked ? "on" : "off"));
$("keys-open").addEventListener("click", () => dialog.showModal());
function step(by) {
  const rows = [...document.querySelectorAll("a.row")];
  if (!rows.length) return;
  const here = rows.findIndex((row) => row === document.activeElement || row.closest("tr,li") === document.activeElement?.closest("tr,li"));
  rows[here < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(here + by, 0), rows.length - 1)].focus();
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !switched.checked || dialog.open) return;
  if (event.target.closest("input,textarea,select,[contenteditable]")) return;
  const act = { "/": () => $("q").focus(), j: () => step(1), k: () => step(-1), "?": () => dialog.showModal(),
                t: () => { const menu = $("when").parentElement; menu.open = true; $("at").focus(); } }[event.key];
  if (act) { event.preventDefault(); act(); }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) { menu.open = false; menu.querySelector("summary").focus(); }
});

if (!navigator.clipboard) root.classList.add("copyless"); // a browser offers it on secure origins only

// --- copying -------------------------------------------------------------------------------------------------------------
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.classList.add("done");
  said.textContent = "copied";
  setTimeout(() => button.classList.remove("done"), 1200);
});
