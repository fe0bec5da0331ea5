// Each session of an agent: what it did, what it changed, what it may do from now on.

import { age, ask, counted, h, notice, prose, when } from "./dom.js";

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
      one.runs.length ? [h("dt", {}, "Left running"), h("dd", {}, one.runs.map((run) => h("p", {},
        h("code", {}, run.command), h("span.dim", {}, ` · process ${run.process} · since ${when(run.since)}`))))] : null,
      one.undo.length ? [h("dt", {}, "Can be undone"), h("dd", {}, [...one.undo].reverse().map(call))] : null,
      h("dt", {}, "Session"), h("dd.mono.small", {}, one.session)),
    h("p", {}, h("a", { href: `#history?session=${encodeURIComponent(one.session)}` }, "Its decisions")));
}

// A call that changed files: what an undo would do is shown before it is done.
function call(one) {
  const did = Object.entries(one.did).filter(([, count]) => count).map(([word, count]) => `${count} ${word}`).join(", ");
  const place = h("div.undo", {}, h("p", {}, h("code", {}, one.command),
    h("span.dim", {}, ` · ${[when(one.time), did, one.back && "taken back"].filter(Boolean).join(" · ")}`)));
  if (!one.back) place.append(h("button", { type: "button", "aria-label": `Undo ${one.command}`, onclick: () => plan(one, place) }, "Undo …"));
  return place;
}

async function plan(one, place) {
  const asked = { root: one.root, number: one.number };
  try {
    const found = await ask("/undo", asked);
    place.querySelector("button").remove();
    place.append(h("ul.mono.small", {}, found.steps.map((step) => h("li", {}, step)),
      found.changed.map((step) => h("li.dim", {}, `${step}: it was changed after the call, and stays`)),
      found.left.map(([path, why]) => h("li.dim", {}, `${path}: ${why}`))));
    if (!found.steps.length) place.append(h("p.small.dim", {}, "There is nothing to take back."));
    else {
      place.append(h("button.no", { type: "button", onclick: async (event) => {
        event.target.disabled = true;
        try {
          const done = await ask("/undo", { ...asked, steps: found.steps });
          place.replaceChildren(h("p", {}, h("code", {}, one.command), h("span.dim", {}, ` · taken back: ${counted(done.steps.length, "change")}`)),
            done.left.length ? h("ul.mono.small", {}, done.left.map(([path, why]) => h("li", {}, `${path}: ${why}`))) : null);
        } catch (error) { notice(error.message); }
      } }, `Take back ${counted(found.steps.length, "change")}`));
    }
  } catch (error) { notice(error.message); }
}

function bar(decisions, all) {
  return h("div.stack", { "aria-hidden": "true" }, WORDS.filter((word) => decisions[word]).map((word) => {
    const part = h(`i.b-${word}`);
    part.style.width = `${(decisions[word] / all) * 100}%`;
    return part;
  }));
}
