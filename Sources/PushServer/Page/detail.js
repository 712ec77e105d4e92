// One push in detail.
import { api } from "./api.js";
import { choice } from "./choice.js";
import { copyButton } from "./copy.js";
import { el, fill, icon, bdi } from "./dom.js";
import { having } from "./filter.js";
import { headline } from "./list.js";
import { payloadSection } from "./payload.js";
import { preview } from "./preview.js";
import { page, words } from "./reasons.js";
import { address, route } from "./router.js";
import { count, ends, plain, plainLines, shortened } from "./text.js";
import { dateAndClock, relative, span } from "./time.js";
import { pushType } from "./types.js";

let calls = 0;

/** Shows a push in a box. Of two that are asked for quickly the second one counts. */
export async function showPush(box, number) {
  calls += 1;
  const call = calls;
  let push;
  try {
    push = await api.push(number);
  } catch (error) {
    if (call === calls) fill(box, back(), el("p.empty", {}, plain(error.message)));
    return;
  }
  if (call !== calls) return;
  fill(box, heading(push), verdict(push), review(push), el("div.pair", {}, preview(push), facts(push)), payloadSection(push), copies(push), headers(push), checks(push));
  box.scrollTop = 0;
}

const back = () => el("a.back", { href: address("pushes"), "aria-label": "Back to the list" }, icon("back"), el("span", {}, "Pushes"));

function heading(push) {
  const type = pushType(push.type);
  return el(
    "header.heading", {}, back(),
    el("h2", { tabindex: "-1" }, bdi(headline(push))),
    el("p.meta", {}, answer(push), el("span", {}, plain(type.name), push.channel_id ? " broadcast" : ""), el("span", {}, `#${push.number}`),
      el("time", { datetime: push.time, title: push.time }, `${dateAndClock(push.time)} · ${relative(Date.parse(push.time))}`)),
  );
}

const answer = (push) =>
  el("span.status", { "data-refused": push.status >= 300 }, plain([push.status, push.reason].filter(Boolean).join(" ")));

/** Why it was refused. */
function verdict(push) {
  if (push.status < 300) return null;
  const apple = words(push.reason ?? "");
  return el(
    "section.verdict", { "aria-label": "Why it was refused" },
    el("h3", {}, plain(`Refused: ${push.status} ${push.reason ?? ""}`)),
    apple ? el("blockquote", {}, el("p", {}, `“${apple}”`),
      el("a", { href: page, rel: "noreferrer", target: "_blank" }, "Apple: Handling notification responses from APNs")) : null,
    push.meaning ? el("p", {}, push.meaning) : null,
    push.remedy ? el("p.remedy", {}, el("b", {}, "What to do: "), push.remedy) : null,
  );
}

function review(push) {
  if (!push.review?.length) return null;
  return el("section.review", { "aria-label": "Review" }, el("h3", {}, "APNs takes this, but"),
    el("ul", {}, push.review.map((finding) => el("li", {}, bdi(plain(finding))))));
}

function facts(push) {
  const isTyped = push.type !== null && push.type !== undefined;
  const rows = [
    ["Device", push.token ? device(push.token) : null],
    ["Channel", push.channel_id ? narrowing("channel", push.channel_id) : null],
    ["Topic", push.topic ? narrowing("topic", push.topic) : el("span.hint", {}, "none")],
    ["Push type", isTyped ? narrowing("type", push.type) : el("span.hint", {}, "not given")],
    ["Priority", push.priority === null ? el("span.hint", {}, "not given, so 10") : priority(push.priority)],
    ["Expiration", expiration(push.expiration)],
    ["Collapse id", push.collapse_id ? bdi(plain(push.collapse_id), { class: "code" }) : null],
    ["apns-id", push.answered_id ? el("span.code", {}, plain(push.answered_id)) : null],
    ["Link", el("span", {}, narrowing("connection", push.connection, `connection ${push.connection}`), `, stream ${push.stream}`)],
    ["Sender", sender(push)],
  ];
  return el("dl.facts", {}, rows.filter(([, value]) => value !== null).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

const device = (token) =>
  el("a.code", { href: address("devices", token), title: plain(token) }, bdi(ends(token)));

/** A value that filters by itself. */
const narrowing = (name, value, label = value) =>
  el("a", { href: address("pushes", null, having(route().query, name, value)), title: `Show only pushes with this ${name}` }, bdi(shortened(plain(label), 200)));

const priority = (number) =>
  ({ 10: "10, at once", 5: "5, when it suits the device's power", 1: "1, never wakes the device" })[number] ?? String(number);

function expiration(seconds) {
  if (seconds === null || seconds === undefined) return el("span.hint", {}, "not given");
  if (seconds === 0) return "0, one attempt";
  return `${dateAndClock(seconds * 1000)}, ${relative(seconds * 1000)}`;
}

function sender(push) {
  const from = push.sender;
  if (!from) return el("span.hint", {}, "no genuine credential");
  if (from.kind === "certificate") return plain(`certificate of ${from.subject_uid ?? "no topic"}, team ${from.team_id}`);
  const age = from.age_seconds < 0 ? "issued in the future" : `${span(from.age_seconds * 1000)} old`;
  return plain(`key ${from.key_id}, team ${from.team_id}, token ${age}`);
}

let copied = "curl";

function copies(push) {
  const body = el("pre.code", { tabindex: "0", "aria-label": "What is copied" });
  const text = () => push.copy?.[copied] ?? "";
  const draw = () => (body.textContent = plainLines(text()));
  draw();
  const names = [["curl", "curl"], ["pushctl", "pushctl send"], ["swift", "Swift"]];
  return el("section.part", { "aria-label": "Copy as" },
    el("header", {}, el("h3", {}, "Copy as"), choice("What is copied", names, copied, (value) => {
      copied = value;
      draw();
    }), el("span.gap"), copyButton("Copy the command or code", text, { id: "copy-as" })), body);
}

function headers(push) {
  const rows = Object.entries(push.headers ?? {}).map(([name, value]) =>
    el("tr", {}, el("th", { scope: "row" }, bdi(plain(name))), el("td", {}, bdi(plain(value)))));
  return el("section.part", { "aria-label": "Headers" }, el("header", {}, el("h3", {}, "Headers"), el("span.size", {}, count(rows.length))),
    el("table.headers", {}, el("tbody", {}, rows)),
    el("p.hint", {}, "The provider token is never kept."));
}

function checks(push) {
  const list = push.check_list ?? [];
  const passed = list.filter((check) => check.result === "passed").length;
  const failed = list.find((check) => check.result === "failed");
  const words = failed ? `failed at ${failed.name}, after ${passed} that passed` : push.status < 300 ? `all ${passed} passed` : "none of these";
  return el("details.part.checks", { open: Boolean(failed) }, el("summary", {}, el("h3", {}, "Checks"), el("span.size", {}, words)),
    el("ul", {}, list.map((check) => el("li", { "data-result": check.result }, el("span", {}, check.says), el("span.hint", {}, check.result)))));
}
