// JSON as a tree whose branches are built when they are opened: no depth and no length costs more than what is seen.
import { el, bdi } from "./dom.js";
import { plain, shortened } from "./text.js";

/** How many entries a branch shows at once. */
const most = 200;
/** How many levels are open at first. */
const levels = 4;

/** A tree of a node of `parseJSON`. */
export function tree(root) {
  const box = el("div.tree");
  let branches = [entry(null, root)];
  box.append(branches[0]);
  for (let level = 0; level < levels; level += 1) {
    const opened = branches.filter((branch) => branch.matches("details"));
    for (const branch of opened) branch.open = true;
    for (const branch of opened) grow(branch);
    branches = opened.flatMap((branch) => [...branch.lastElementChild.children]);
  }
  return box;
}

const nodes = new WeakMap();

function entry(key, node) {
  const name = key === null ? null : typeof key === "number" ? el("span.index", {}, String(key)) : nameOf(key);
  const label = name ? [name, el("span.colon", {}, ": ")] : [];
  if (!node.entries?.length) return el("div.leaf", {}, label, valueOf(node));
  const isList = node.kind === "array";
  const count = node.entries.length;
  const words = isList ? `${count} ${count === 1 ? "item" : "items"}` : `${count} ${count === 1 ? "member" : "members"}`;
  const branch = el(
    "details", { ontoggle: (event) => event.target.open && grow(event.target) },
    el("summary", {}, label, el("span.brace", {}, isList ? "[ ]" : "{ }"), el("span.size", {}, words)), el("div.branch"),
  );
  nodes.set(branch, node);
  return branch;
}

function grow(branch) {
  const box = branch.lastElementChild;
  if (box.childElementCount === 0) add(box, nodes.get(branch), 0);
}

function add(box, node, start) {
  const end = Math.min(start + most, node.entries.length);
  for (const [key, child] of node.entries.slice(start, end)) box.append(entry(key, child));
  if (end === node.entries.length) return;
  const button = el("button.link", { type: "button" }, `Show more of ${node.entries.length - end}`);
  button.addEventListener("click", () => {
    button.remove();
    add(box, node, end);
  });
  box.append(button);
}

const nameOf = (key) => bdi(shortened(plain(key), 200), { class: "name" });

function valueOf(node) {
  if (node.kind === "object") return el("span.brace", {}, "{ }");
  if (node.kind === "array") return el("span.brace", {}, "[ ]");
  if (node.kind === "string") return bdi(`"${plain(node.text)}"`, { class: "value string" });
  return el(`span.value.${node.kind}`, {}, node.text);
}
