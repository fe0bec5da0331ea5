// A command with each of its operations underlined by what it does.

import { h } from "./dom.js";

const ORDER = ["read", "write", "network", "execute", "system", "unknown", "remote", "privilege", "destroy"];

export function strongest(operation) {
  if (operation.kind === "opaque") return "unknown";
  const read = (operation.explanation && operation.explanation.effects) || [];
  const found = [...(operation.matches || []).flatMap((match) => match.effects || []), ...read.map((one) => one.effect)];
  if (operation.kind === "access") found.push(operation.mode === "remove" ? "destroy" : operation.mode);
  if (operation.kind === "connect") found.push("network");
  return ORDER.findLast((effect) => found.includes(effect)) || "read";
}

// The spans of the text, none over another: an inner one wins over that around it.
function pieces(text, explained) {
  const points = [...text];
  const at = new Array(points.length).fill(null);
  for (const operation of explained.operations) {
    const span = operation.explanation && operation.explanation.span;
    if (!span) continue;
    for (let n = span[0]; n < Math.min(span[1], points.length); n += 1) {
      const before = at[n];
      if (!before || ORDER.indexOf(strongest(operation)) >= ORDER.indexOf(strongest(before))) at[n] = operation;
    }
  }
  const found = [];
  points.forEach((char, n) => {
    const last = found.at(-1);
    if (last && last.operation === at[n]) last.text += char;
    else found.push({ operation: at[n], text: char });
  });
  return found;
}

export function underlined(text, explained) {
  if (!explained) return h("pre.command", { tabindex: 0, role: "group", "aria-label": "the command" }, text);
  return h("pre.command", { tabindex: 0, role: "group", "aria-label": "the command" },
    pieces(text, explained).map(({ operation, text: part }) => (operation
      ? h(`span.op.${strongest(operation)}`, { title: strongest(operation) }, part)
      : part)));
}

export function legend(explained) {
  const rows = new Map();
  for (const operation of explained.operations) {
    const effect = strongest(operation);
    if (operation.decision === "allow" && effect === "read") continue;
    if (!rows.has(effect)) rows.set(effect, new Set());
    rows.get(effect).add(named(operation));
  }
  return h("ul.legend", { "aria-label": "what it does" }, [...rows].map(([effect, names]) => h("li", {},
    h(`span.swatch.c-${effect}`), h(`b.c-${effect}`, {}, effect), h("span.mono.place", {}, [...names].join(", ")))));
}

export function named(operation) {
  const word = (value) => (typeof value === "string" ? value : value && value.dynamic) || "";
  if (operation.kind === "exec") return operation.argv.map(word).join(" ");
  if (operation.kind === "access") return `${operation.mode} ${word(operation.path)}`;
  if (operation.kind === "connect") return `${operation.protocol} to ${word(operation.host)}`;
  if (operation.kind === "assign") return `${operation.name}=`;
  return operation.text || operation.kind;
}
