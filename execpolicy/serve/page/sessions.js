// Each session of an agent: what it did, what it changed, what it may do from now on.

import { age, ask, counted, h, prose, when } from "./dom.js";

const WORDS = ["allow", "prompt", "forbidden"];

export async function view() {
  const { sessions } = await ask("/sessions");
  return h("div.stackview", {}, h("div.top", {}, h("h1", {}, "Sessions"), h("p.dim.small", {}, "the last 7 days, the latest first")),
    sessions.length ? sessions.map(card)
      : h("div.empty", {}, h("strong", {}, "No agent called yet"), h("p", {}, prose("`execpolicy install` puts the hook into an agent's configuration."))));
}

function card(one) {
  const all = WORDS.reduce((sum, word) => sum + (one.decisions[word] || 0), 0);
  return h("article.card", { "aria-label": `session ${one.session} of ${one.agent}` },
    h("div.row.spread", {}, h("div.row", {}, h("span.chip.agent", {}, one.agent), h("strong.place.mono", {}, one.where || "—")),
      h("span.small.dim", {}, `${when(one.first)} – ${when(one.last)}`)),
    h("div", {}, bar(one.decisions, all),
      h("p.small.dim", {}, WORDS.filter((word) => one.decisions[word]).map((word) => `${one.decisions[word]} ${{ allow: "allowed", prompt: "asked", forbidden: "forbidden" }[word]}`).join(", "))),
    h("dl.facts", {},
      h("dt", {}, "May, unasked"), h("dd", {}, one.may.length
        ? one.may.map((may) => h("p", {}, may.command ? h("code", {}, may.command) : prose(may.covers), h("span.dim", {}, ` · ${may.seconds == null ? "no end" : `${age(may.seconds)} left`} · by ${may.by}`)))
        : "nothing beyond the rules"),
      h("dt", {}, "Wrote or removed"), h("dd", {}, one.changed.length
        ? h("details", {}, h("summary", {}, counted(one.changed.length, "path")), h("ul.mono.small", {}, one.changed.map((path) => h("li", {}, path))))
        : "no path that it named"),
      h("dt", {}, "Session"), h("dd.mono.small", {}, one.session)),
    h("p", {}, h("a", { href: `#history?session=${encodeURIComponent(one.session)}` }, "Its decisions")));
}

function bar(decisions, all) {
  return h("div.stack", { "aria-hidden": "true" }, WORDS.filter((word) => decisions[word]).map((word) => {
    const part = h(`i.b-${word}`);
    part.style.width = `${(decisions[word] / all) * 100}%`;
    return part;
  }));
}
