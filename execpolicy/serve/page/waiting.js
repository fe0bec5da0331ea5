// The questions of all agents, as they come, and the user's answers.

import { age, ask, h, notice, prose } from "./dom.js";
import { legend, underlined } from "./command.js";

let every = [];
let chosen = "";
const explained = new Map();
const cards = new Map();

export function update(questions) {
  every = questions;
  if (!every.some((one) => one.code === chosen)) chosen = every.length ? every[0].code : "";
}

export function view() {
  const place = h("div", {});
  draw(place);
  return place;
}

export function draw(place) {
  const typing = document.activeElement && document.activeElement.closest(".card");
  const kept = new Set(every.map((one) => one.code));
  for (const code of cards.keys()) if (!kept.has(code)) cards.delete(code);
  for (const one of every) if (!cards.has(one.code)) cards.set(one.code, card(one));
  const list = every.length ? every.map((one) => cards.get(one.code)) : [empty()];
  const head = h("div.top", {}, h("h1", {}, every.length ? `${every.length} waiting` : "Waiting"),
    h("p.dim.small.keyhelp", {}, h("kbd", {}, "j"), " ", h("kbd", {}, "k"), " choose  ", h("kbd", {}, "y"), " once  ",
      h("kbd", {}, "s"), " session  ", h("kbd", {}, "n"), " no"));
  place.className = "stackview";
  if (!(typing && place.contains(typing) && kept.size && same(place, list))) place.replaceChildren(head, ...list);
  place.querySelector("h1").textContent = head.querySelector("h1").textContent;
  mark();
}

function same(place, list) {
  const now = [...place.children].slice(1);
  return now.length === list.length && now.every((one, n) => one === list[n]);
}

function empty() {
  return h("div.empty", {}, h("strong", {}, "Nothing waits for you"),
    h("p", {}, "A question of an agent appears here as soon as it is asked."));
}

function mark() {
  for (const [code, made] of cards) {
    made.classList.toggle("chosen", code === chosen && every.length > 1);
  }
}

function card(one) {
  const command = h("div", {}, underlined(one.command, null));
  const because = h("input", {
    type: "text", placeholder: "what it should do instead", "aria-label": `a word to the agent about ${one.code}`,
    maxlength: 2000,
    onkeydown: (event) => { if (event.key === "Enter") reply(one, "reject", because.value); if (event.key === "Escape") because.blur(); },
  });
  const made = h("article.card", { "data-code": one.code, "aria-label": `question ${one.code} of ${one.agent}`, onfocusin: () => { chosen = one.code; mark(); } },
    h("div.row.spread", {},
      h("div.row", {}, h("span.chip.agent", {}, one.agent), h("strong.place", {}, base(one.project)),
        one.branch && h("span.chip", {}, `on ${one.branch}`)),
      h("div.row.small.dim", {}, h("time", { "data-at": one.at }, ago(one.at)), h("span.code", {}, one.code))),
    command,
    h("dl.facts", {},
      h("dt", {}, "Asks because"), h("dd", {}, one.why.map((line) => h("p", {}, prose(line)))),
      h("dt", {}, "Acts in"), h("dd.mono", {}, one.where || "—"),
      h("dt", {}, "Sandbox"), h("dd", {}, one.held ? "would hold all of it" : "would not hold it"),
      h("dt", {}, "Once opens"), h("dd", {}, one.opens.once),
      h("dt", {}, "Session opens"), h("dd", {}, one.session ? one.opens.session.map((line) => h("p", {}, prose(line))) : "nothing: it is asked each time")),
    h("div.actions", {},
      h("button.first", { type: "button", onclick: () => reply(one, "once") }, "Allow once", h("kbd", {}, "y")),
      h("button", { type: "button", disabled: !one.session, onclick: () => reply(one, "session") }, "For this session", h("kbd", {}, "s")),
      h("div.refusing", {}, because, h("button.no", { type: "button", onclick: () => reply(one, "reject", because.value) }, "No", h("kbd", {}, "n")))));
  explain(one, command);
  return made;
}

async function explain(one, place) {
  try {
    if (!explained.has(one.code)) explained.set(one.code, await ask("/explain", { command: one.command, cwd: one.cwd || "/" }));
    const found = explained.get(one.code);
    place.replaceChildren(underlined(one.command, found), legend(found));
    place.className = "row";
    place.firstChild.classList.add("place");
    place.firstChild.style.flexBasis = "100%";
  } catch {
    // It is shown without colours.
  }
}

function base(path) {
  return path.split("/").filter(Boolean).at(-1) || "/";
}

function ago(at) {
  return `${age(Date.now() / 1000 - at)} ago`;
}

export function tick() {
  for (const place of document.querySelectorAll("time[data-at]")) place.textContent = ago(Number(place.dataset.at));
}

async function reply(one, life, because = "") {
  const made = cards.get(one.code);
  made.querySelectorAll("button").forEach((button) => { button.disabled = true; });
  try {
    await ask(`/questions/${encodeURIComponent(one.code)}`, { answer: life, because: because.trim() || null });
    notice(`${one.code}: ${{ once: "allowed once", session: "allowed for this session", reject: "refused" }[life]}`);
  } catch (error) {
    notice(error.message);
    made.querySelectorAll("button").forEach((button) => { button.disabled = false; });
  }
}

export function key(event) {
  const at = every.findIndex((one) => one.code === chosen);
  const one = every[at];
  if (!one) return;
  if (event.key === "j" || event.key === "k") {
    chosen = every[(at + (event.key === "j" ? 1 : every.length - 1)) % every.length].code;
    mark();
    cards.get(chosen).scrollIntoView({ block: "nearest" });
  } else if (event.key === "y") reply(one, "once");
  else if (event.key === "s" && one.session) reply(one, "session");
  else if (event.key === "n") { event.preventDefault(); cards.get(chosen).querySelector("input").focus(); }
}
