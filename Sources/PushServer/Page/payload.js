// The payload as a tree and as it was sent, with its size against the limit.
import { el, fill } from "./dom.js";
import { choice } from "./choice.js";
import { copyButton } from "./copy.js";
import { parseJSON } from "./json.js";
import { count, plainLines } from "./text.js";
import { tree } from "./tree.js";

let view = "tree";

export function payloadSection(push) {
  const text = push.payload_text ?? "";
  const body = el("div.payload");
  const root = push.is_whole ? parseJSON(text) : null;
  const draw = () => fill(body, view === "tree" && root ? tree(root) : raw(text));
  draw();
  const choices = choice("How the payload is shown", [["tree", "Tree"], ["sent", "As sent"]], view, (value) => {
    view = value;
    draw();
  });
  return el(
    "section.part", { "aria-label": "Payload" },
    el("header", {}, el("h3", {}, "Payload"), size(push), el("span.gap"), root ? choices : null,
      root ? copyButton("Copy the payload", () => text) : null),
    note(push, root), body,
  );
}

const raw = (text) =>
  el("pre.code", { tabindex: "0", "aria-label": "The payload as sent" }, plainLines(text) || "Nothing was sent.");

function note(push, root) {
  if (!push.is_whole) return el("p.note", {}, "Only the beginning was kept: the rest is beyond every limit.");
  if (!root && push.bytes > 0) return el("p.note", {}, "This is not JSON, so a device understands nothing of it.");
  return null;
}

function size(push) {
  const part = Math.min(1, push.bytes / push.limit);
  const bar = el("span.fillbar");
  bar.style.inlineSize = `${part * 100}%`;
  return el(
    "span.size", { "data-over": push.bytes > push.limit },
    el("span.track", {
      role: "meter", "aria-label": "Size of the payload", "aria-valuemin": 0, "aria-valuemax": push.limit,
      "aria-valuenow": Math.min(push.bytes, push.limit), "aria-valuetext": `${push.bytes} of ${push.limit} bytes`,
    }, bar),
    `${count(push.bytes)} of ${count(push.limit)} bytes`,
  );
}
