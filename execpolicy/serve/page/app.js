// Which view is shown, and the stream of questions that all of them share.

import { failed, h } from "./dom.js";
import * as history from "./history.js";
import * as policy from "./policy.js";
import * as sessions from "./sessions.js";
import * as trying from "./try.js";
import * as waiting from "./waiting.js";

const VIEWS = { waiting, sessions, history, try: trying, policy };
const main = document.getElementById("main");
const state = document.getElementById("state");
let shown = "";

async function show() {
  const [name, rest] = location.hash.slice(1).split("?");
  shown = VIEWS[name] ? name : "waiting";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${shown}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${shown[0].toUpperCase()}${shown.slice(1)} · execpolicy`;
  const at = shown;
  try {
    const made = await VIEWS[at].view(new URLSearchParams(rest || ""));
    if (at === shown) main.replaceChildren(made);
  } catch (error) {
    if (at === shown) main.replaceChildren(h("div", {}, h("h1", {}, "Something went wrong"), failed(error)));
  }
}

function listen() {
  const stream = new EventSource("/questions/stream");
  stream.addEventListener("open", () => live("live", "live"));
  stream.addEventListener("error", () => live("gone", "no connection"));
  stream.addEventListener("end", () => { stream.close(); live("gone", "the server ended"); });
  stream.addEventListener("questions", (event) => {
    const questions = JSON.parse(event.data);
    waiting.update(questions);
    const count = document.getElementById("count");
    count.textContent = String(questions.length);
    count.hidden = !questions.length;
    if (shown === "waiting" && main.firstChild) waiting.draw(main.firstChild);
  });
}

function live(name, text) {
  state.className = `state ${name}`;
  state.textContent = text;
}

document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, textarea, select");
  if (shown === "waiting" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) waiting.key(event);
});
addEventListener("hashchange", () => { show(); main.focus({ preventScroll: true }); scrollTo(0, 0); });
setInterval(waiting.tick, 5000);
fetch("/health").then((answer) => answer.json()).then((found) => {
  document.getElementById("demo").hidden = !found.demo;
});
await show();
listen();
