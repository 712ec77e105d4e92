// One push in detail.
import { api } from "./api.js";
import { copies } from "./copies.js";
import { el, fill, hint, icon, bdi } from "./dom.js";
import { facts } from "./facts.js";
import { headline } from "./list.js";
import { payloadSection } from "./payload.js";
import { preview } from "./preview.js";
import { page, words } from "./reasons.js";
import { address } from "./router.js";
import { count, plain } from "./text.js";
import { dateAndClock, relative } from "./time.js";
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
  // A broadcast names its app in the path.
  push.topic ??= push.bundle_id;
  fill(
    box, heading(push), verdict(push), review(push), el("div.pair", {}, preview(push), facts(push)),
    payloadSection(push), copies(push), headers(push), checks(push),
  );
  box.scrollTop = 0;
}

function back() {
  const attributes = { href: address("pushes"), "aria-label": "Back to the list" };
  return el("a.back", attributes, icon("back"), el("span", {}, "Pushes"));
}

function heading(push) {
  const time = Date.parse(push.time);
  return el(
    "header.heading", {}, back(), el("h2", { tabindex: "-1" }, bdi(headline(push))),
    el(
      "p.meta", {},
      el("span.status", { "data-refused": push.status >= 300 }, plain(`${push.status} ${push.reason ?? ""}`.trim())),
      el("span", {}, plain(pushType(push.type).name), push.channel_id ? " broadcast" : ""),
      el("span", {}, `#${push.number}`),
      el("time", { datetime: push.time, title: push.time }, `${dateAndClock(time)} · ${relative(time)}`),
    ),
  );
}

/** Why it was refused. */
function verdict(push) {
  if (push.status < 300) return null;
  const apple = words(push.reason ?? "");
  const source = el(
    "a", { href: page, rel: "noreferrer", target: "_blank" }, "Apple: Handling notification responses from APNs",
  );
  return el(
    "section.verdict", { "aria-label": "Why it was refused" },
    el("h3", {}, plain(`Refused: ${push.status} ${push.reason ?? ""}`)),
    apple ? el("blockquote", {}, el("p", {}, `“${apple}”`), source) : null,
    push.meaning ? el("p", {}, push.meaning) : null,
    push.remedy ? el("p.remedy", {}, el("b", {}, "What to do: "), push.remedy) : null,
  );
}

/** What APNs accepts, and no device understands. */
function review(push) {
  if (!push.review?.length) return null;
  return el(
    "section.review", { "aria-label": "Review" }, el("h3", {}, "APNs takes this, but"),
    el("ul", {}, push.review.map((finding) => el("li", {}, bdi(plain(finding))))),
  );
}

function headers(push) {
  const rows = Object.entries(push.headers ?? {}).map(([name, value]) =>
    el("tr", {}, el("th", { scope: "row" }, bdi(plain(name))), el("td", {}, bdi(plain(value)))),
  );
  return el(
    "section.part", { "aria-label": "Headers" },
    el("header", {}, el("h3", {}, "Headers"), el("span.size", {}, count(rows.length))),
    el("table.headers", {}, el("tbody", {}, rows)), el("p.hint", {}, "The provider token is never kept."),
  );
}

function checks(push) {
  // A broadcast goes through others.
  if (!push.checks) return null;
  const list = push.check_list ?? [];
  const failed = list.find((check) => check.result === "failed");
  return el(
    "details.part.checks", { open: Boolean(failed) },
    el("summary", {}, el("h3", {}, "Checks"), el("span.size", {}, result(push, list, failed))),
    el("ul", {}, list.map((check) =>
      el("li", { "data-result": check.result }, el("span", {}, check.says), hint(check.result)))),
  );
}

function result(push, list, failed) {
  const passed = list.filter((check) => check.result === "passed").length;
  if (failed) return `failed at ${failed.name}, after ${passed} that passed`;
  return push.status < 300 ? `all ${passed} passed` : "none of these";
}
