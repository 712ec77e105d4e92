// Builds elements. A string becomes a text node, always: nothing that a stranger sent is read as markup.

/** `el("button.small", { onclick, title }, "Copy")`. Attributes that are null are left out. */
export function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) set(element, key, value);
  element.append(...present(children));
  return element;
}

const present = (children) =>
  children.flat(2).filter((child) => child !== null && child !== undefined && child !== false);

function set(element, key, value) {
  if (value === null || value === undefined) return;
  if (key.startsWith("data-") || key.startsWith("aria-")) element.setAttribute(key, String(value));
  else if (value === false) return;
  else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
  else if (key === "value" || key === "checked") element[key] = value;
  else element.setAttribute(key, value === true ? "" : value);
}

/** Puts children in place of those an element has. */
export function fill(element, ...children) {
  element.replaceChildren(...present(children));
}

/** Text whose direction does not reach its surroundings. */
export const bdi = (text, attributes = {}) => el("bdi", attributes, text);

/** A name and its value in a list `dl`. */
export const pair = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));

/** Words that matter less. */
export const hint = (...words) => el("span.hint", {}, words);

/** A drawing of 16 by 16, which a screen reader skips. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  for (const [key, value] of [["viewBox", "0 0 16 16"], ["class", "icon"], ["aria-hidden", "true"]]) {
    svg.setAttribute(key, value);
  }
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}

const paths = {
  alert:
    "M8 2.2a3.8 3.8 0 0 0-3.8 3.8c0 3.6-1.4 4.6-1.4 4.6h10.4s-1.4-1-1.4-4.6A3.8 3.8 0 0 0 8 2.2z" +
    "M6.7 13a1.5 1.5 0 0 0 2.6 0",
  background: "M13.5 8a5.5 5.5 0 0 1-9.7 3.5M2.5 8a5.5 5.5 0 0 1 9.7-3.5M12.4 1.8v2.9H9.5M3.6 14.2v-2.9h2.9",
  voip: "M5.6 2.5 3.2 3.3c-.6 3.8 5.7 10.1 9.5 9.5l.8-2.4-2.9-1.6-1.3 1c-1-.5-2.7-2.100-3.100-3.100l1-1.300z",
  liveactivity: "M1.5 8h3l2-5 3 10 2-5h3",
  device: "M5 1.8h6a1 1 0 0 1 1 1v10.400a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V2.800a1 1 0 0 1 1-1zM7.200 12.300h1.600",
  broadcast: "M8 8v5.500M5.500 10.500a3.500 3.500 0 1 1 5 0M3.400 12.600a6.500 6.500 0 1 1 9.200 0",
  copy: "M5.500 5.500v-3h8v8h-3M2.500 5.500h8v8h-8z",
  back: "M9.500 3 4.500 8l5 5",
  search: "M7 2.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9zM10.300 10.300 14 14",
  close: "M4 4l8 8M12 4l-8 8",
  done: "M3 8.500 6.500 12 13 4.500",
  theme: "M8 2.500a5.500 5.500 0 1 0 0 11zM8 2.500a5.500 5.500 0 0 1 0 11",
};
