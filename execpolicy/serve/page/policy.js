// The rules in force, by layers, with how often each line decided. To change one, edit its file.

import { ask, counted, h, prose } from "./dom.js";

export async function view(given) {
  const cwd = given.get("cwd") || "";
  const found = await ask(`/policy${cwd ? `?cwd=${encodeURIComponent(cwd)}` : ""}`);
  const place = h("input", { value: cwd, placeholder: "the server's directory", spellcheck: "false" });
  const own = found.files.filter((file) => file.layer !== "builtin");
  const shipped = found.files.filter((file) => file.layer === "builtin");
  return h("div.stackview", {}, h("div.top", {}, h("h1", {}, "Policy"), h("p.dim.small", {}, "the strictest rule of all layers decides; digest ", h("code", {}, found.digest))),
    h("form.card", { onsubmit: (event) => { event.preventDefault(); location.hash = `#policy?cwd=${encodeURIComponent(place.value.trim())}`; } },
      h("div.row", {}, h("label.field", {}, "Directory", place), h("button", { type: "submit" }, "Show"))),
    found.floor && h("section.card", {}, h("div.row", {}, h("span.chip.forbidden", {}, "broken"), found.floor), found.problems.map((line) => h("pre.command", { tabindex: 0 }, line))),
    own.map(file),
    !own.length && h("div.empty", {}, h("strong", {}, "No rules of your own here"), h("p", {}, prose("`execpolicy init` writes first ones, by a preset."))),
    h("section.card", {}, h("div.row.spread", {}, h("h2", {}, "What ships"), h("span.chip", {}, "builtin")),
      h("p", {}, `${counted(found.shipped.files, "file")}: ${counted(found.shipped.rules, "rule")}, and what is known of ${counted(found.shipped.programs, "command")}.`),
      shipped.length > 0 && h("ul.small", {}, shipped.map((one) => h("li", {}, h("code", {}, one.path.split("/").at(-1)), ` decided ${Object.values(one.decided).reduce((a, b) => a + b, 0)} times`)))));
}

function file(one) {
  return h("section.card", {},
    h("div.row.spread", {}, h("h2.mono.place", { title: one.path }, one.where), h("span.row", {}, !one.trusted && h("span.chip.prompt", {}, "not trusted: only tightens"), h("span.chip", {}, one.layer))),
    !one.lines.length ? h("p.dim", {}, "It is empty.") : h("ol.rulefile", { tabindex: 0, "aria-label": one.path }, one.lines.map((text, n) => {
      const times = one.decided[n + 1];
      return h(times ? "li.hit" : "li", {}, h("span.n", {}, n + 1), h("span.hits", {}, times ? `${times} ×` : ""), h("span", {}, text || " "));
    })));
}
