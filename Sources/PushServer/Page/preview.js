// A push as its device shows it, or what it is where a person sees nothing.
import { el, icon, pair, bdi } from "./dom.js";
import { activityCard } from "./activity.js";
import { notificationOf, phone, banner } from "./lockscreen.js";
import { member, valueOf } from "./member.js";
import { plain, shortened } from "./text.js";
import { pushType } from "./types.js";

export function preview(push) {
  const box = seen(push);
  if (push.status >= 300) box.append(el("p.note", {}, "APNs refused it, so no device shows this."));
  if (push.channel_id) box.append(el("p.note", {}, "A broadcast: every device that follows the channel shows it."));
  return box;
}

function seen(push) {
  const payload = valueOf(push);
  const aps = member(payload, "aps");
  if (push.type === "liveactivity") return activityCard(push, aps);
  if (push.type === null || push.type === undefined || push.type === "alert") return alertCard(push, aps);
  return silentCard(push, payload);
}

function alertCard(push, aps) {
  const notification = notificationOf(push, aps);
  const says = notification.isSeen ? null : el("p.note", {}, silence(notification));
  return el("div.preview", {}, phone(push, notification.isSeen ? banner(push, notification) : null, notification), says);
}

function silence(notification) {
  const effects = [
    notification.badge !== null ? `the badge becomes ${notification.badge}` : null,
    notification.sound ? "a sound is played" : null,
  ].filter(Boolean);
  return effects.length ? `There are no words to show: only ${effects.join(", and ")}.` : "A device shows nothing of this.";
}

/** What is no notification: its meaning, and the values at the top of its payload. */
function silentCard(push, payload) {
  const type = pushType(push.type);
  const facts = [];
  const isObject = payload !== null && typeof payload === "object" && !Array.isArray(payload);
  const values = isObject ? Object.entries(payload) : [];
  for (const [key, value] of values.filter(([key]) => key !== "aps").slice(0, 6)) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    facts.push(pair(bdi(plain(shortened(key, 60))), bdi(plain(shortened(text, 160)))));
  }
  return el(
    "div.preview", {},
    el(
      "div.silent", {}, el("div.emblem", {}, icon(type.icon)),
      el("div", {}, el("h3", {}, plain(type.name)), el("p", {}, type.meaning)),
    ),
    facts.length ? el("dl.state", {}, facts) : null,
  );
}
