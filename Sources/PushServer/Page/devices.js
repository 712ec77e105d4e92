// Devices: their states, and what a person would have seen on each.
import { api } from "./api.js";
import { el, fill, icon, bdi } from "./dom.js";
import { complain, say } from "./live.js";
import { address, go } from "./router.js";
import { count, ends, plain, plural, shortened, shown } from "./text.js";
import { dateAndClock, relative } from "./time.js";
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
  shown: "Seen", quiet: "Seen quietly", done: "Done", launched: "App ran", stored: "Stored at APNs", waiting: "Waits",
  replaced: "Replaced", dropped: "Dropped", expired: "Expired", throttled: "Thinned out", ignored: "Ignored", ended: "Ended",
};
const most = 100;

/** Draws the list of devices into one box, and one device into the other. */
export async function drawDevices(listBox, detailBox, token) {
  const start = Number(listBox.dataset.start ?? 0);
  const [list, device] = await Promise.all([
    api.devices({ from: start, limit: most }),
    token === null ? null : api.device(token).catch((error) => (error.status === 404 ? unknown(token) : Promise.reject(error))),
  ]);
  keepingFocus(listBox, () => fill(listBox, heading(list.count), rows(list.devices, token), pages(list.count, start, listBox)));
  keepingFocus(detailBox, () => fill(detailBox, device ? detail(device) : el("p.empty", {}, "Choose a device to see what its user would have seen.")));
}

const unknown = (token) => ({ token, state: "online", pushes: 0, waiting: 0, badges: {}, seen: [] });

/** Draws anew, and gives the focus back to the element with the same id. */
function keepingFocus(box, draw) {
  const focused = box.contains(document.activeElement) ? document.activeElement : null;
  // A menu that is open would close.
  if (focused?.matches("select, input")) return;
  draw();
  if (focused?.id) document.getElementById(focused.id)?.focus();
}

function heading(number) {
  const input = el("input", { type: "text", name: "token", placeholder: "Add by device token", "aria-label": "Device token", autocomplete: "off", spellcheck: "false", pattern: "[0-9a-fA-F]{1,200}", required: true });
  const form = el("form.adding", { onsubmit: (event) => {
    event.preventDefault();
    document.activeElement.blur();
    go(address("devices", input.value.toLowerCase()));
  } }, input, el("button.small", { type: "submit" }, "Open"));
  return el("div.bar", {}, el("span.size", {}, plural(number, "device")), el("span.gap"), form);
}

function rows(devices, token) {
  if (devices.length === 0) return el("p.empty", {}, "A device token is a device here. Those that pushes reach appear by themselves.");
  return el("ul.devices", {}, devices.map((device) =>
    el("li", {}, el("a.device", { id: `device-${device.token}`, href: address("devices", device.token), "aria-current": device.token === token?.toLowerCase() ? "true" : null },
      el("span.kind", {}, icon("device")),
      el("span.words", {}, el("span.line", {}, el("span.code", {}, ends(device.token)), stateOf(device.state)),
        el("span.line.second", {}, plural(device.pushes, "push", "pushes"), device.waiting ? ` · ${device.waiting} waiting` : "",
          el("span.gap"), device.last_push ? relative(Date.parse(device.last_push)) : ""))))));
}

function pages(number, start, box) {
  if (number <= most) return null;
  const turn = (to) => () => {
    box.dataset.start = to;
    window.dispatchEvent(new Event("hashchange"));
  };
  return el("div.bar", {}, el("button.small", { type: "button", disabled: start === 0, onclick: turn(Math.max(0, start - most)) }, "Newer"),
    el("span.size", {}, `${count(start + 1)} to ${count(Math.min(number, start + most))}`),
    el("button.small", { type: "button", disabled: start + most >= number, onclick: turn(start + most) }, "Older"));
}

const stateOf = (state) =>
  el("span.state", { "data-state": state }, Object.hasOwn(states, state) ? states[state][0] : plain(state));

function detail(device) {
  const badges = Object.entries(device.badges ?? {});
  return [
    el("header.heading", {}, el("a.back", { href: address("devices"), "aria-label": "Back to the devices" }, icon("back"), el("span", {}, "Devices")),
      el("h2", {}, el("span.code", {}, ends(device.token))), el("p.meta", {}, el("bdi.code.whole", {}, plain(device.token)))),
    el("div.part", {}, el("label.setting", {}, el("span", {}, "State"), stateMenu(device)),
      el("p.note", {}, Object.hasOwn(states, device.state) ? states[device.state][1] : "")),
    el("dl.facts", {},
      el("div", {}, el("dt", {}, "Pushes"), el("dd", {}, el("a", { href: address("pushes", null, `token:${device.token}`) }, plural(device.pushes, "accepted", "accepted")))),
      el("div", {}, el("dt", {}, "Waiting"), el("dd", {}, count(device.waiting))),
      badges.length ? el("div", {}, el("dt", {}, "Badges"), el("dd", {}, badges.map(([app, number]) => `${plain(app)}: ${number}`).join(", "))) : null,
      device.activity_ends ? el("div", {}, el("dt", {}, "Live Activity"), el("dd", {}, `leaves the lock screen ${relative(Date.parse(device.activity_ends))}`)) : null),
    seen(device.seen ?? []),
  ];
}

function stateMenu(device) {
  const menu = el("select", { id: "device-state", "aria-label": "State of the device" },
    Object.entries(states).map(([state, [name]]) => el("option", { value: state, selected: state === device.state }, name)));
  menu.addEventListener("change", async () => {
    try {
      await api.setDevice(device.token, menu.value);
      say(`The device is ${states[menu.value][0]}.`);
    } catch (error) {
      complain(error.message);
    }
    menu.blur();
    window.dispatchEvent(new Event("hashchange"));
  });
  return menu;
}

function seen(outcomes) {
  const rows = outcomes.toReversed().map((outcome) => {
    const push = outcome.push;
    const words = push ? shortened(shown(push.title ?? pushType(push.type).name), 120) : `push ${outcome.number}`;
    return el("li", { "data-fate": outcome.fate },
      el("span.fate", {}, Object.hasOwn(fates, outcome.fate) ? fates[outcome.fate] : plain(outcome.fate)),
      el("div", {}, el("a", { href: address("pushes", outcome.number, "") }, bdi(words)), el("p.hint", {}, plain(outcome.why))),
      el("time", { datetime: outcome.time }, dateAndClock(outcome.time).slice(11)));
  });
  return el("section.part", { "aria-label": "What would the user have seen?" },
    el("header", {}, el("h3", {}, "What would the user have seen?")),
    rows.length ? el("ol.fates", {}, rows) : el("p.empty", {}, "Nothing so far."),
    el("p.hint", {}, "A model of what Apple documents. A real device also weighs battery, settings and use."));
}
