// The lock screen with a notification.
import { el, bdi } from "./dom.js";
import { member, numberOf, textOf } from "./member.js";
import { plain, shortened, shown } from "./text.js";
import { appName, bundleID } from "./types.js";

/** What a device takes from `aps`. Keys that stand for a text of the app are shown as they are. */
export function notificationOf(push, aps) {
  const alert = member(aps, "alert");
  const either = (plainName, key) => textOf(member(alert, plainName)) ?? localized(alert, key);
  const sound = member(aps, "sound");
  const notification = {
    title: either("title", "title-loc-key"),
    subtitle: either("subtitle", "subtitle-loc-key"),
    body: textOf(alert) ?? either("body", "loc-key"),
    thread: textOf(member(aps, "thread-id")),
    category: textOf(member(aps, "category")),
    sound: textOf(sound) ?? textOf(member(sound, "name")),
    badge: numberOf(member(aps, "badge")),
    level: textOf(member(aps, "interruption-level")) ?? (member(sound, "critical") === 1 ? "critical" : "active"),
    isMutable: member(aps, "mutable-content") === 1,
  };
  notification.isSeen = [notification.title, notification.subtitle, notification.body].some((text) => text);
  return notification;
}

/** `GATE_CHANGED (B 14, 10:25)` for a key of the app's texts with its arguments. */
function localized(alert, name) {
  const key = textOf(member(alert, name));
  if (key === null) return null;
  const values = member(alert, name.replace("-key", "-args"));
  const words = Array.isArray(values) ? values.filter((value) => typeof value !== "object").map(String) : [];
  return words.length ? `${key} (${words.join(", ")})` : key;
}

/** The screen, with what is on it, and the facts that have no place there. */
export function phone(push, content, notification) {
  const time = new Date(push.time);
  const two = (number) => String(number).padStart(2, "0");
  const date = time.toLocaleDateString("en", { weekday: "long", month: "long", day: "numeric" });
  return el(
    "div.phone", { role: "group", "aria-label": "Lock screen" },
    el("div.day", {}, date), el("div.hour", {}, `${time.getHours()}:${two(time.getMinutes())}`),
    content ?? el("div.nothing", {}, "No notification"),
    notification ? el("div.traits", {}, traits(notification)) : null,
  );
}

/** The notification itself. */
export function banner(push, notification) {
  const levels = { "time-sensitive": "Time Sensitive", critical: "Critical" };
  const level = Object.hasOwn(levels, notification.level) ? levels[notification.level] : null;
  const line = (text, name) => (text ? bdi(shortened(shown(text), 600), { class: name, dir: "auto" }) : null);
  return el(
    "div.banner", { "data-level": level ? notification.level : null },
    appIcon(push, notification.badge),
    el(
      "div.text", {}, el("div.top", {}, el("span.level", {}, level ?? plain(shortened(appName(push.topic), 40))), "now"),
      line(notification.title, "title"), line(notification.subtitle, "subtitle"), line(notification.body, "body"),
    ),
  );
}

/** A square with the app's initial, in a colour of its own, and the badge. */
export function appIcon(push, badge = null) {
  const name = bundleID(push.topic);
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)) % 360;
  const square = el("span.app", {}, shown([...appName(push.topic)][0]));
  square.style.setProperty("--hue", sum);
  if (badge !== null && badge > 0) square.append(el("span.badge", {}, badge > 9999 ? "9999+" : String(badge)));
  return square;
}

function traits(notification) {
  const known = ["passive", "active", "time-sensitive", "critical"];
  const facts = [
    ["level", notification.level, !known.includes(notification.level)], ["sound", notification.sound ?? "none"],
    ["badge", notification.badge === null ? "as it was" : notification.badge === 0 ? "removed" : notification.badge],
    ["thread", notification.thread], ["category", notification.category],
    ["extension", notification.isMutable ? "may change it" : null],
  ];
  return facts
    .filter(([, value]) => value !== null)
    .map(([name, value]) => el("span.trait", {}, el("b", {}, name), " ", bdi(shortened(plain(value), 60))));
}
