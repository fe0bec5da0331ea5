// Elements from values. Nothing that came from elsewhere is ever taken for markup.

export function h(tag, given = {}, ...children) {
  const at = tag.split(".");
  const made = document.createElement(at[0]);
  if (at.length > 1) made.className = at.slice(1).join(" ");
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, String(value));
  }
  made.append(...children.flat(3).filter((child) => child != null && child !== false));
  return made;
}

export function svg(tag, given = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, String(value));
  made.append(...children.flat(3));
  return made;
}

export async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("the server does not answer");
  }
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(found.error || `the server answers ${answer.status}`);
  return found;
}

export function notice(text) {
  const place = document.getElementById("notice");
  const line = h("p", {}, text);
  place.replaceChildren(line);
  setTimeout(() => line.remove(), 6000);
}

// A sentence of the engine, in which commands and paths stand between backticks.
export function prose(text) {
  const parts = String(text).split("`");
  if (parts.length % 2 === 0) return [text];
  return parts.map((part, n) => (n % 2 ? h("code", {}, part) : part));
}

export function age(seconds) {
  for (const [size, unit] of [[86400, "d"], [3600, "h"], [60, "min"]]) {
    if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`;
  }
  return `${Math.max(0, Math.floor(seconds))} s`;
}

export function when(text) {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return "";
  const today = at.toDateString() === new Date().toDateString();
  const time = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return today ? time : `${at.toLocaleDateString([], { month: "short", day: "numeric" })} ${time}`;
}

export function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

export function verdict(word) {
  return h(`span.chip.${word}`, {}, { prompt: "asks", allow: "allowed", forbidden: "forbidden" }[word] || word);
}

export function failed(error) {
  return h("div.empty", {}, h("strong", {}, "This cannot be shown"), h("p", {}, error.message));
}
