// Copies texts. Those that repeat a push come from the API, which quotes them.
import { el, icon, fill } from "./dom.js";
import { say } from "./live.js";

/** A button that copies what `text` gives. */
export function copyButton(label, text, attributes = {}) {
  const face = [icon("copy"), el("span", {}, "Copy")];
  const button = el("button.small", { type: "button", "aria-label": label, ...attributes }, face);
  button.addEventListener("click", async () => {
    const isCopied = await copy(text());
    fill(button, icon(isCopied ? "done" : "close"), el("span", {}, isCopied ? "Copied" : "Not copied"));
    say(isCopied ? "Copied." : "The browser did not allow copying.");
    setTimeout(() => fill(button, face), 1600);
  });
  return button;
}

/** Without TLS beyond loopback a browser has no clipboard for pages: then a selection is copied. */
async function copy(text) {
  try {
    if (!navigator.clipboard) return copySelection(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

function copySelection(text) {
  const area = el("textarea.offscreen", { readonly: true, "aria-hidden": "true", tabindex: "-1", value: text });
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  focused?.focus();
  return isCopied;
}
