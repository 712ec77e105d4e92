// A Live Activity: its state, and the dates that count.
import { el, hint, pair, bdi } from "./dom.js";
import { member, numberOf, textOf } from "./member.js";
import { appIcon, banner, notificationOf, phone } from "./lockscreen.js";
import { plain, shortened } from "./text.js";
import { dateAndClock, now, relative } from "./time.js";
import { appName } from "./types.js";

const events = Object.assign(Object.create(null), { start: "Starts", update: "Update", end: "Ends" });
const most = 12;

export function activityCard(push, aps) {
  const event = textOf(member(aps, "event"));
  const alert = notificationOf(push, aps);
  const card = el(
    "div.activity", {},
    el(
      "div.top", {}, appIcon(push), el("b", {}, plain(shortened(appName(push.topic), 40))), el("span.gap"),
      el("span.event", { "data-event": event }, events[event] ?? "No event that a device knows"),
    ),
    state(member(aps, "content-state")),
    attributes(aps),
  );
  const screen = [card, alert.isSeen ? banner(push, alert) : null];
  return el("div.preview", {}, phone(push, el("div.stack", {}, screen), null), dates(aps));
}

function state(content) {
  if (content === null || typeof content !== "object") return el("p.note", {}, "There is no content-state.");
  const entries = Object.entries(content);
  const rest = entries.length - most;
  return el(
    "dl.state", {},
    entries.slice(0, most).map(([key, value]) => pair(bdi(plain(shortened(key, 60))), valueOf(value))),
    rest > 0 ? el("p.note", {}, `and ${rest} more, in the payload`) : null,
  );
}

function valueOf(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const words = bdi(shortened(plain(text), 200));
  // A number that is a time of these years is likely one.
  return isLikelyTime(value) ? [words, hint(` ${relative(value * 1000)}, if it is a time`)] : words;
}

const isLikelyTime = (value) => numberOf(value) !== null && Math.abs(value * 1000 - now()) < 10 * 366 * 86400e3;

function attributes(aps) {
  const type = textOf(member(aps, "attributes-type"));
  return type ? el("p.hint", {}, "attributes of the type ", bdi(plain(shortened(type, 80)), { class: "code" })) : null;
}

function dates(aps) {
  const rows = [
    ["timestamp", "An older one than that of the last push is ignored."],
    ["stale-date", "From then on the app may say that it is out of date."],
    ["dismissal-date", "Then it leaves the lock screen, if it has ended."],
  ].map(([name, meaning]) => {
    const value = numberOf(member(aps, name));
    const time = value === null ? null : value * 1000;
    return el(
      "tr", { "data-past": time !== null && time < now() }, el("th", { scope: "row", title: meaning }, name),
      el("td", {}, time === null ? hint("not given") : [dateAndClock(time), hint(` ${relative(time)}`)]),
    );
  });
  return el("table.dates", { "aria-label": "Dates of the Live Activity" }, el("tbody", {}, rows));
}
