// The list, newest first. Only the rows that are seen are in the document, so its length costs nothing.
import { el, fill, icon, bdi } from "./dom.js";
import { ends, plain, shortened, shown } from "./text.js";
import { clock } from "./time.js";
import { bundleID, pushType } from "./types.js";

const height = 58;
/** Rows beyond the edges, so that scrolling shows no gap. */
const margin = 6;

export class List extends EventTarget {
  #feed;
  #box;
  #space = el("div.space", { role: "presentation" });
  #rows = new Map();
  #selected = null;

  constructor(feed, box) {
    super();
    this.#feed = feed;
    this.#box = box;
    box.append(this.#space);
    box.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    box.addEventListener("click", (event) => {
      const row = event.target.closest("[data-number]");
      if (row) this.dispatchEvent(new CustomEvent("choose", { detail: Number(row.dataset.number) }));
    });
    new ResizeObserver(() => this.draw()).observe(box);
  }

  get selected() {
    return this.#selected;
  }

  select(number) {
    this.#selected = number;
    this.#show(number);
    this.draw();
  }

  /** The number of the push so many rows further down; at the ends the last one. */
  neighbour(step) {
    const rows = this.#feed.rows;
    if (rows.length === 0) return null;
    const index = this.#indexOf(this.#selected);
    const next = (index ?? (step > 0 ? -1 : rows.length)) + step;
    return this.#at(Math.min(Math.max(next, 0), rows.length - 1)).number;
  }

  toTop() {
    this.#box.scrollTop = 0;
    this.#feed.hold(false);
  }

  draw() {
    const rows = this.#feed.rows;
    this.#space.style.height = `${rows.length * height}px`;
    const first = Math.max(0, Math.floor(this.#box.scrollTop / height) - margin);
    const last = Math.min(rows.length, Math.ceil((this.#box.scrollTop + this.#box.clientHeight) / height) + margin);
    const seen = new Map();
    for (let index = first; index < last; index += 1) seen.set(this.#at(index).number, index);
    for (const [number, row] of this.#rows) {
      if (seen.has(number)) continue;
      row.remove();
      this.#rows.delete(number);
    }
    for (const [number, index] of seen) this.#place(number, index);
    this.#sayWhichIsActive();
    if (last > rows.length - 20) this.#feed.loadOlder();
  }

  #place(number, index) {
    const push = this.#at(index);
    let row = this.#rows.get(number);
    // An inbox that was started again has other pushes with the same numbers.
    if (row?.querySelector("time").dateTime !== push.time) {
      row?.remove();
      row = rowOf(push);
      this.#rows.set(number, row);
      this.#space.append(row);
    }
    row.style.transform = `translateY(${index * height}px)`;
    row.setAttribute("aria-posinset", index + 1);
    row.setAttribute("aria-setsize", this.#feed.isComplete ? this.#feed.rows.length : -1);
    row.setAttribute("aria-selected", number === this.#selected);
  }

  #sayWhichIsActive() {
    if (this.#rows.has(this.#selected)) this.#box.setAttribute("aria-activedescendant", `push-${this.#selected}`);
    else this.#box.removeAttribute("aria-activedescendant");
  }

  #scrolled() {
    this.#feed.hold(this.#box.scrollTop > 4);
    this.draw();
  }

  /** The row at a place from the top. */
  #at(index) {
    const rows = this.#feed.rows;
    return rows[rows.length - 1 - index];
  }

  /** The place of a push from the top. Numbers increase, so half of the rows are left out at each look. */
  #indexOf(number) {
    const rows = this.#feed.rows;
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].number < number) low = middle + 1;
      else high = middle;
    }
    return rows[low]?.number === number ? rows.length - 1 - low : null;
  }

  #show(number) {
    const index = this.#indexOf(number);
    if (index === null) return;
    const [top, end] = [index * height, (index + 1) * height];
    if (top < this.#box.scrollTop) this.#box.scrollTop = top;
    else if (end > this.#box.scrollTop + this.#box.clientHeight) this.#box.scrollTop = end - this.#box.clientHeight;
  }
}

/** What stands for a push without words. */
export function headline(push) {
  // The API gives the event of a Live Activity as its title, if it has no words.
  const isEvent = push.type === "liveactivity" && ["start", "update", "end"].includes(push.title);
  if (isEvent) return `Live Activity, ${push.title}`;
  return push.title ? shortened(shown(push.title), 120) : pushType(push.type).name;
}

function rowOf(push) {
  const type = pushType(push.type);
  const target = push.channel_id ?? push.token;
  const isRefused = push.status >= 300;
  const row = el(
    "div.row",
    { role: "option", id: `push-${push.number}`, "data-number": push.number, "data-refused": isRefused },
    el("span.kind", { title: plain(type.name) }, icon(push.channel_id ? "broadcast" : type.icon)),
    el(
      "div.words",
      {},
      el("div.line", {}, bdi(headline(push), { class: push.title ? "title" : "title nothing" }), timeOf(push)),
      el(
        "div.line.second",
        {},
        el(
          "span.where", {}, bdi(shortened(plain(bundleID(push.topic) || "no topic"), 80)),
          target ? [" · ", bdi(ends(target), { class: "code" })] : null,
        ),
        el("span.answer", {}, isRefused ? plain(`${push.status} ${shortened(push.reason ?? "", 40)}`) : ""),
      ),
    ),
  );
  return row;
}

const timeOf = (push) => el("time", { datetime: push.time }, clock(push.time));

/** A sentence for a screen reader that hears of new pushes. */
export function announcement(arrived, missed) {
  const newest = arrived.at(-1);
  const count = arrived.length + missed;
  if (!newest) return `${count} pushes arrived.`;
  const what = `${pushType(newest.type).name}: ${headline(newest)}`;
  const end = newest.status >= 300 ? `, refused, ${newest.reason}` : "";
  return count === 1 ? `${what}${end}.` : `${count} pushes arrived. The newest is ${what}${end}.`;
}
