// A row of choices of which one is pressed, such as Tree and As sent.
import { el } from "./dom.js";

/** `choices` are pairs of a value and a label; `chosen` is called with the value. */
export function choice(label, choices, value, chosen) {
  const box = el("div.choice", { role: "group", "aria-label": label });
  for (const [key, words] of choices) {
    box.append(
      el("button", { type: "button", "aria-pressed": String(key === value), "data-value": key,
        onclick: (event) => {
          press(box, event.currentTarget);
          chosen(key);
        } }, words),
    );
  }
  return box;
}

function press(box, button) {
  for (const other of box.children) other.setAttribute("aria-pressed", String(other === button));
}
