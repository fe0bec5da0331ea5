// What was decided: filters, a chart, what asked most, and a rule tried before it is written.

import { ask, counted, failed, h, prose, svg, verdict, when } from "./dom.js";

const WORDS = ["allow", "prompt", "forbidden"];

export async function view(given) {
  const [asked, table] = [await ask("/asked"), h("div", {})];
  const filters = form(given, table);
  await fill(table, filters);
  return h("div.stackview", {},
    h("div.top", {}, h("h1", {}, "History"), h("p.dim.small", {}, `the last ${asked.days} days`)),
    h("div.halves", {},
      h("section.card", {}, h("h2", {}, "Decisions by day"), chart(asked.by_day), keys()),
      h("section.card", {}, h("h2", {}, "What asked most"), most(asked.commands))),
    rule(asked.commands),
    h("section.card", {}, h("h2", {}, "Decisions"), filters, table));
}

function keys() {
  return h("p.keys", {}, WORDS.map((word) => h("span", {}, h(`i.b-${word}`), { allow: "allowed", prompt: "asked", forbidden: "forbidden" }[word])));
}

function chart(days) {
  if (!days.length) return h("p.dim", {}, "Nothing was decided yet.");
  const most = Math.max(...days.map((day) => WORDS.reduce((sum, word) => sum + (day[word] || 0), 0)), 1);
  const wide = 100 / days.length;
  const bars = days.map((day, n) => {
    let top = 150;
    return WORDS.map((word) => {
      const high = ((day[word] || 0) / most) * 140;
      top -= high;
      return svg("rect", { x: `${n * wide + wide * 0.2}%`, y: top, width: `${wide * 0.6}%`, height: Math.max(0, high - 1), rx: 2, class: `f-${word}` });
    });
  });
  const names = days.map((day, n) => {
    const made = svg("text", { x: `${(n + 0.5) * wide}%`, y: 168, "text-anchor": "middle" });
    made.textContent = new Date(`${day.day}T12:00:00Z`).toLocaleDateString([], { weekday: "short" });
    return made;
  });
  const label = days.map((day) => `${day.day}: ${WORDS.map((word) => `${day[word] || 0} ${word}`).join(", ")}`).join("; ");
  return svg("svg", { class: "chart", role: "img", "aria-label": label }, svg("line", { x1: "0", x2: "100%", y1: 150.5, y2: 150.5 }), bars, names);
}

function most(commands) {
  if (!commands.length) return h("p.dim", {}, "Nothing asked.");
  const top = commands[0].times;
  return h("ul.bars", {}, commands.map(({ command, times }) => {
    const bar = h("i", {});
    bar.style.width = `${(times / top) * 100}%`;
    return h("li", {}, h("button.name", { type: "button", title: command, onclick: () => propose(command) }, command.split("\n")[0]),
      h("span.times", {}, `${times} ×`), h("span.bar", {}, bar));
  }));
}

// --- a rule ---------------------------------------------------------------------------------------

function propose(command) {
  const words = command.split("\n")[0].split(/\s+/).filter((word) => !/^[-&|;<>]|[$`"'*(]/.test(word)).slice(0, 2);
  const place = document.getElementById("rule");
  place.value = `prefix_rule(${JSON.stringify(words)})`;
  place.scrollIntoView({ block: "center" });
  place.focus();
}

function rule(commands) {
  const result = h("div", { role: "status" });
  const text = h("textarea", { id: "rule", rows: 2, spellcheck: "false", placeholder: 'prefix_rule(["git", "push"])' });
  const run = async () => {
    result.replaceChildren(h("p.dim", {}, "trying"));
    try {
      result.replaceChildren(settled(await ask("/rule", { rule: text.value })));
    } catch (error) {
      result.replaceChildren(h("p", {}, h("span.chip.forbidden", {}, "not a rule"), " ", error.message));
    }
  };
  return h("section.card", {}, h("h2", {}, "Try a rule"),
    h("p.dim.small", {}, "What would it have settled of what asked? Nothing is written. ", commands.length ? "Choose a command above to begin with." : ""),
    h("label.field", {}, "Rule", text),
    h("div.actions", {}, h("button", { type: "button", onclick: run }, "Try it")), result);
}

function settled(found) {
  if (!found.rows.length) return h("p", {}, `It settles none of ${counted(found.asked, "question")}.`);
  return h("div.stackview", {}, h("p", {}, h("strong", {}, `${found.settled} of ${found.asked}`), " questions would not have been asked."),
    h("ul.bars", {}, found.rows.map((row) => h("li", {}, h("span.name", { title: row.command }, row.command), h("span.times", {}, `${row.times} ×`), verdict(row.after)))));
}

// --- the table ------------------------------------------------------------------------------------

function form(given, table) {
  const made = h("form.row", { onsubmit: (event) => { event.preventDefault(); fill(table, made); } },
    field("Decision", h("select", { name: "decision", onchange: () => fill(table, made) },
      ["", ...WORDS].map((word) => h("option", { value: word, selected: given.get("decision") === word }, { "": "all", allow: "allowed", prompt: "asked", forbidden: "forbidden" }[word])))),
    field("Agent", h("input", { name: "agent", value: given.get("agent") || "" })),
    field("Program", h("input", { name: "program", value: given.get("program") || "" })),
    field("Session", h("input", { name: "session", value: given.get("session") || "" })),
    field("Text", h("input", { name: "text", value: given.get("text") || "" })),
    h("button", { type: "submit" }, "Filter"));
  return made;
}

function field(name, control) {
  return h("label.field", {}, name, control);
}

async function fill(table, filters) {
  const wanted = new URLSearchParams([...new FormData(filters)].filter(([, value]) => value));
  try {
    const found = await ask(`/log?${wanted}`);
    table.replaceChildren(found.lines.length ? rows(found) : h("p.dim", {}, "No decision is like that."));
  } catch (error) {
    table.replaceChildren(failed(error));
  }
}

const PAGE = 25;
const PLAIN = ["ran", "asked", "refused"];  // no more than the decision says

function rows(found) {
  const body = h("tbody", {});
  const more = h("button", { type: "button", onclick: () => add() });
  const shown = `${counted(found.all, "decision")}${found.all > found.lines.length ? `, of which the newest ${found.lines.length} are shown` : ""}`;
  const add = () => {
    const from = body.children.length;
    body.append(...found.lines.slice(from, from + PAGE).map(row));
    const left = found.lines.length - body.children.length;
    more.textContent = `Show ${Math.min(left, PAGE)} more`;
    more.hidden = left === 0;
  };
  add();
  return h("div.stackview", {}, h("p.dim.small", {}, shown), h("table", {},
    h("thead", {}, h("tr", {}, h("th.w-time", { scope: "col" }, "When"), h("th.w-word", { scope: "col" }, "Decision, outcome"),
      h("th.w-agent", { scope: "col" }, "Agent"), h("th", { scope: "col" }, "Command and reason"))), body), h("div", {}, more));
}

function row(line) {
  return h("tr", {}, h("td.time", {}, when(line.time)), h("td", {}, verdict(line.decision), !PLAIN.includes(line.outcome) && h("p.dim.small", {}, line.outcome)), h("td", {}, line.agent || "—"),
    h("td.what", {}, h("code", {}, line.call), line.decision !== "allow" && h("p.dim.small", {}, prose(line.reason || ""))));
}
