// A push as commands and code that repeat it. The API makes and quotes them; the page only shows and copies.
import { choice } from "./choice.js";
import { copyButton } from "./copy.js";
import { el } from "./dom.js";
import { plainLines } from "./text.js";

const names = [["curl", "curl"], ["pushctl", "pushctl send"], ["swift", "Swift"]];
let chosen = "curl";

export function copies(push) {
  const body = el("pre.code", { tabindex: "0", "aria-label": "What is copied" });
  const text = () => push.copy?.[chosen] ?? "";
  const draw = () => (body.textContent = plainLines(text()));
  draw();
  const choices = choice("What is copied", names, chosen, (name) => {
    chosen = name;
    draw();
  });
  return el(
    "section.part", { "aria-label": "Copy as" },
    el(
      "header", {}, el("h3", {}, "Copy as"), choices, el("span.gap"),
      copyButton("Copy the command or code", text, { id: "copy-as" }),
    ),
    body,
  );
}
