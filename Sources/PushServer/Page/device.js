// One device: its state, and what its user would have seen.
import { api } from "./api.js";
import { el, icon, pair, bdi } from "./dom.js";
import { complain, say } from "./live.js";
import { address } from "./router.js";
import { count, ends, plain, plural, shortened, shown } from "./text.js";
import { clock, dateAndClock, relative } from "./time.js";
import { pushType } from "./types.js";

const states = {
  online: ["online", "Reached at once."],
  offline: ["offline", "Not reached. APNs keeps one push for each app."],
  asleep: ["asleep", "Reached, but priorities 5 and 1 wait until it wakes."],
  muted: ["muted", "In a focus: only time-sensitive and critical notifications are seen at once."],
  removed: ["removed", "The app is gone: pushes get 410 Unregistered."],
  wrong_environment: ["wrong environment", "The token is of the other environment: pushes get 400 BadDeviceToken."],
};

const fates = {
  shown: "Seen",
  quiet: "Seen quietly",
  done: "Done",
  launched: "App ran",
  stored: "Stored at APNs",
  waiting: "Waits",
  replaced: "Replaced",
  dropped: "Dropped",
  expired: "Expired",
  throttled: "Thinned out",
  ignored: "Ignored",
  ended: "Ended",
};

/** A state as a label. */
export const stateName = (state) =>
  el("span.state", { "data-state": state }, Object.hasOwn(states, state) ? states[state][0] : plain(state));

/** A device in detail. */
export function deviceDetail(device) {
  const back = { href: address("devices"), "aria-label": "Back to the devices" };
  return el(
    "div.stack", { id: `detail-${device.token}` },
    el(
      "header.heading", {}, el("a.back", back, icon("back"), el("span", {}, "Devices")),
      el("h2.code", { tabindex: "-1" }, ends(device.token)),
      el("p.meta", {}, bdi(plain(device.token), { class: "code whole" })),
    ),
    el(
      "div.part", {}, el("label.setting", {}, el("span", {}, "State"), stateMenu(device)),
      el("p.note", {}, Object.hasOwn(states, device.state) ? states[device.state][1] : ""),
    ),
    numbers(device),
    seen(device.seen ?? []),
  );
}

function numbers(device) {
  const pushes = el(
    "a", { href: address("pushes", null, `token:${device.token}`) }, plural(device.pushes, "accepted", "accepted"),
  );
  const badges = Object.entries(device.badges ?? {}).map(([app, number]) => `${plain(app)}: ${number}`);
  const ends = device.activity_ends ? relative(Date.parse(device.activity_ends)) : null;
  return el(
    "dl.facts", {}, pair("Pushes", pushes), pair("Waiting", count(device.waiting)),
    badges.length ? pair("Badges", bdi(shortened(badges.join(", "), 400))) : null,
    ends ? pair("Live Activity", `leaves the lock screen ${ends}`) : null,
  );
}

function stateMenu(device) {
  const options = Object.entries(states).map(([state, [name]]) =>
    el("option", { value: state, selected: state === device.state }, name));
  const menu = el("select", { id: "device-state" }, options);
  menu.addEventListener("change", async () => {
    try {
      await api.setDevice(device.token, menu.value);
      say(`The device is ${states[menu.value][0]}.`);
    } catch (error) {
      complain(error.message);
    }
    window.dispatchEvent(new Event("hashchange"));
  });
  return menu;
}

function seen(outcomes) {
  const rows = outcomes.toReversed().map(outcomeRow);
  return el(
    "section.part", { "aria-label": "What would the user have seen?" },
    el("header", {}, el("h3", {}, "What would the user have seen?")),
    rows.length ? el("ol.fates", {}, rows) : el("p.empty", {}, "Nothing so far."),
    el("p.hint", {}, "A model of what Apple documents. A real device also weighs battery, settings and use."),
  );
}

function outcomeRow(outcome) {
  const { push, fate } = outcome;
  const words = push ? shortened(shown(push.title ?? pushType(push.type).name), 120) : `push ${outcome.number}`;
  const link = el("a", { href: address("pushes", outcome.number, "") }, bdi(words));
  return el(
    "li", { "data-fate": fate },
    el("span.fate", {}, Object.hasOwn(fates, fate) ? fates[fate] : plain(fate)),
    el("div", {}, link, el("p.hint", {}, plain(outcome.why))),
    el("time", { datetime: outcome.time, title: dateAndClock(outcome.time) }, clock(outcome.time)),
  );
}
