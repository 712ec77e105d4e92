// The list of devices.
import { api } from "./api.js";
import { deviceDetail, stateName } from "./device.js";
import { el, icon } from "./dom.js";
import { morph } from "./morph.js";
import { address, go } from "./router.js";
import { count, ends, plural } from "./text.js";
import { relative } from "./time.js";

/** How many devices a page of the list has. */
const most = 100;
let start = 0;

/** Draws the list into one box, and one device into the other. */
export async function drawDevices(listBox, detailBox, token) {
  const [list, device] = await Promise.all([api.devices({ from: start, limit: most }), found(token)]);
  morph(listBox, heading(list.count), rows(list.devices, token), pages(list.count));
  const nothing = el("p.empty", {}, "Choose a device to see what its user would have seen.");
  morph(detailBox, device ? deviceDetail(device) : nothing);
}

/** A device that got nothing yet is one, too. */
async function found(token) {
  if (token === null) return null;
  try {
    return await api.device(token);
  } catch (error) {
    if (error.status === 404) return { token, state: "online", pushes: 0, waiting: 0, badges: {}, seen: [] };
    throw error;
  }
}

function heading(number) {
  const input = el("input", {
    type: "text", placeholder: "Open a device token", "aria-label": "Device token", autocomplete: "off",
    spellcheck: "false", pattern: "[0-9a-fA-F]{1,200}", title: "Hex digits, at most 200", required: true,
  });
  const open = (event) => {
    event.preventDefault();
    go(address("devices", input.value.toLowerCase()));
    input.value = "";
  };
  const form = el("form.adding", { onsubmit: open }, input, el("button.small", { type: "submit" }, "Open"));
  return el("div.bar", {}, el("span.size", {}, plural(number, "device")), el("span.gap"), form);
}

function rows(devices, chosen) {
  if (devices.length === 0) {
    return el("p.empty", {}, "A device token is a device here. Those that pushes reach appear by themselves.");
  }
  return el("ul.devices", {}, devices.map((device) => el("li", { id: `row-${device.token}` }, row(device, chosen?.toLowerCase()))));
}

function row(device, chosen) {
  const attributes = {
    id: `device-${device.token}`, href: address("devices", device.token),
    "aria-current": device.token === chosen ? "true" : null,
  };
  const waiting = device.waiting ? ` · ${count(device.waiting)} waiting` : "";
  const first = el("span.line", {}, el("span.code", {}, ends(device.token)), stateName(device.state));
  const second = el(
    "span.line.second", {}, el("span", {}, plural(device.pushes, "push", "pushes") + waiting),
    device.last_push ? relative(Date.parse(device.last_push)) : "",
  );
  return el("a.device", attributes, el("span.kind", {}, icon("device")), el("span.words", {}, first, second));
}

function pages(number) {
  if (number <= most) return null;
  const button = (name, to, isPossible) => {
    const turn = () => {
      start = Math.max(0, to);
      window.dispatchEvent(new Event("hashchange"));
    };
    return el("button.small", { type: "button", id: `page-${name}-${to}`, disabled: !isPossible, onclick: turn }, name);
  };
  return el(
    "div.bar", {}, button("Newer", start - most, start > 0),
    el("span.size", {}, `${count(start + 1)} to ${count(Math.min(number, start + most))}`),
    button("Older", start + most, start + most < number),
  );
}
