// What is known of a push beside its payload.
import { el, hint, pair, bdi } from "./dom.js";
import { having } from "./filter.js";
import { address, route } from "./router.js";
import { ends, plain, shortened } from "./text.js";
import { dateAndClock, relative, span } from "./time.js";

export function facts(push) {
  const code = (text) => bdi(plain(text), { class: "code" });
  const link = [
    narrowing("connection", push.connection, `connection ${push.connection}`), `, stream ${push.stream}`,
  ];
  const rows = [
    ["Device", push.token ? device(push.token) : null],
    ["Channel", push.channel_id ? narrowing("channel", push.channel_id) : null],
    [push.channel_id ? "App" : "Topic", push.topic ? narrowing("topic", push.topic) : hint("none")],
    ["Push type", typeof push.type === "string" ? narrowing("type", push.type) : hint("not given")],
    ["Priority", typeof push.priority === "number" ? priority(push.priority) : hint("not given, so 10")],
    ["Expiration", expiration(push.expiration)],
    ["Collapse id", push.collapse_id ? code(push.collapse_id) : null],
    [push.channel_id ? "Request id" : "apns-id", push.answered_id ? code(push.answered_id) : null],
    ["Link", link],
    // Of a broadcast the API does not tell it.
    ["Sender", push.channel_id ? null : sender(push.sender)],
  ];
  return el("dl.facts", {}, rows.filter(([, value]) => value !== null).map(([name, value]) => pair(name, value)));
}

const device = (token) => el("a.code", { href: address("devices", token), title: plain(token) }, bdi(ends(token)));

/** A value that filters by itself. */
function narrowing(name, value, label = value) {
  const attributes = {
    href: address("pushes", null, having(route().query, name, value)), title: `Show only pushes with this ${name}`,
  };
  return el("a", attributes, bdi(shortened(plain(label), 200)));
}

function priority(number) {
  const meanings = { 10: "at once", 5: "when it suits the device’s power", 1: "never wakes the device" };
  return Object.hasOwn(meanings, number) ? `${number}, ${meanings[number]}` : String(number);
}

function expiration(seconds) {
  if (typeof seconds !== "number") return hint("not given");
  if (seconds === 0) return "0, one attempt";
  return `${dateAndClock(seconds * 1000)}, ${relative(seconds * 1000)}`;
}

function sender(from) {
  if (!from) return hint("no genuine credential");
  if (from.kind === "certificate") {
    return bdi(plain(`certificate of ${from.subject_uid ?? "no topic"}, team ${from.team_id}`));
  }
  const age = from.age_seconds < 0 ? "issued in the future" : `${span(from.age_seconds * 1000)} old`;
  return bdi(plain(`key ${from.key_id}, team ${from.team_id}, token ${age}`));
}
