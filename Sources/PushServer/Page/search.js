// The filter's field, with its qualifiers below it while a person types.
import { el, fill } from "./dom.js";
import { having, qualifiers } from "./filter.js";
import { address, go, route } from "./router.js";

export function searchField(form) {
  const input = form.querySelector("input");
  const hints = form.querySelector(".hints");
  let timer = 0;
  const apply = () => {
    clearTimeout(timer);
    const { name, argument } = route();
    const isList = name === "pushes";
    go(address("pushes", isList ? argument : null, input.value.trim()), { replaces: isList });
  };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, 200);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    apply();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    if (input.value === "") return input.blur();
    input.value = "";
    apply();
  });
  fill(hints, Object.entries(qualifiers).map(([name, meaning]) =>
    // The field keeps the focus, so the hints stay.
    el("button", { type: "button", tabindex: "-1", onmousedown: (event) => event.preventDefault(), onclick: () => {
      input.value = `${having(input.value, name, null)} ${name}:`.trimStart();
    } }, el("b", {}, `${name}:`), el("span", {}, meaning))));
  return {
    focus: () => input.select(),
    /** Shows the filter of the address, unless a person types another one. */
    show: (text) => {
      if (document.activeElement !== input) input.value = text;
    },
    complain: (sentence) => {
      const box = form.querySelector(".wrong");
      box.textContent = sentence;
      box.hidden = sentence === "";
      input.setAttribute("aria-invalid", String(sentence !== ""));
    },
  };
}
