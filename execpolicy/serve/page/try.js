// Any command, read step by step. Nothing of it runs, and nothing is written down.

import { ask, failed, h, prose, verdict } from "./dom.js";
import { legend, named, strongest, underlined } from "./command.js";

const EXAMPLE = "cd app && timeout 60 git push -f origin main | tee push.log";

export async function view(given) {
  const result = h("div.stackview", { role: "status" });
  const text = h("textarea", { rows: 3, spellcheck: "false", id: "text" });
  text.value = given.get("command") || EXAMPLE;
  const cwd = h("input", { spellcheck: "false", placeholder: "the server's directory" });
  const run = async () => {
    try {
      const found = await ask("/explain", { command: text.value, cwd: cwd.value.trim() || null });
      result.replaceChildren(...shown(text.value, found));
    } catch (error) {
      result.replaceChildren(failed(error));
    }
  };
  await run();
  return h("div.stackview", {}, h("div.top", {}, h("h1", {}, "Try"), h("p.dim.small", {}, "how a command is read; nothing runs")),
    h("form.card", { onsubmit: (event) => { event.preventDefault(); run(); } },
      h("label.field", {}, "Command", text), h("div.row", {}, h("label.field", {}, "Directory", cwd), h("button.first", { type: "submit" }, "Explain"))),
    result);
}

function shown(text, found) {
  return [
    h("section.card", {}, h("div.row", {}, verdict(found.decision), h("strong.place", {}, prose(found.reason))),
      underlined(text, found), legend(found),
      h("p.small.dim", {}, found.confined === "allow" ? "In the sandbox it may run without a question." : "The sandbox would not hold all of it."),
      found.amendment && h("details", {}, h("summary", {}, "The smallest rule that would allow it"), h("pre.command", { tabindex: 0 }, found.amendment.rule))),
    h("section.card", {}, h("h2", {}, "Step by step"), h("ol.steps", {}, found.operations.map(step))),
  ];
}

function step(operation, n) {
  const read = operation.explanation || {};
  const effect = strongest(operation);
  return h("li", {}, h("span.number", {}, n + 1), h("div.body", {},
    h("div.row", {}, h("code.place", {}, named(operation)), verdict(operation.decision), h(`span.chip.c-${effect}`, {}, effect)),
    operation.via && h("p.small.dim", {}, `inside ${operation.via.join(", ")}`),
    (read.options || []).length > 0 && h("p.small.dim", {}, `options: ${read.options.map((option) => `${option.name}${option.meaning ? ` (${option.meaning})` : ""}`).join(", ")}`),
    (read.places || []).map((place) => h("p.small.dim", {}, where(place))),
    operation.matches.map(match),
    !operation.matches.length && h("p.small.dim", {}, "does nothing by itself: what it starts is the next step"),
    (read.near || []).map((near) => h("p.small.dim", {}, `nearly matched: ${near.pattern.map((word) => word.join(" or ")).join(" ")} (${near.origin})`))));
}

function where(place) {
  return Object.entries(place).filter(([, value]) => value != null && value !== "" && typeof value !== "object").map(([name, value]) => `${name} ${value}`).join(", ");
}

function match(one) {
  const origin = one.origin ? `${one.origin.file.split("/").at(-1)}:${one.origin.line}` : "";
  return h("p.small", {}, h("span.chip", {}, one.source), " ", prose(one.justification || one.why), " ", h("span.dim.mono", {}, origin));
}
