// Puts the page together: the address decides what is seen, the feed brings the pushes.
import { drawConnections } from "./connections.js";
import { drawDevices } from "./devices.js";
import { openDialog, prepareDialogs, prepareRemoval } from "./dialogs.js";
import { showPush } from "./detail.js";
import { el, fill, icon } from "./dom.js";
import { faultsView } from "./faults.js";
import { Feed } from "./feed.js";
import { having, parse } from "./filter.js";
import { listen } from "./keyboard.js";
import { announcement, List } from "./list.js";
import { complain, say } from "./live.js";
import { address, go, route } from "./router.js";
import { searchField } from "./search.js";
import { count, plural } from "./text.js";
import { themeButton } from "./theme.js";
import { View } from "./view.js";
import { welcome } from "./welcome.js";

const at = (id) => document.getElementById(id);
const names = ["pushes", "devices", "connections", "faults"];

const feed = new Feed();
const list = new List(feed, at("list"));
const search = searchField(at("search"));
const views = {
  devices: new View(() => drawDevices(at("devices-list"), at("device"), route().argument)),
  connections: new View(() => drawConnections(at("connections"), () => views.connections.refresh({ isForced: true })), 250),
  faults: new View(faultsView(at("faults")), 250),
};
let filterText = null;
let shownPush;

// MARK: The address

function follow() {
  const { name, argument, query } = route();
  const view = names.includes(name) ? name : "pushes";
  for (const other of names) {
    at(`view-${other}`).hidden = other !== view;
    const link = at(`to-${other}`);
    link.href = address(other, other === "pushes" ? (shownPush ?? null) : null);
    if (other === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (other !== view) views[other]?.close();
  }
  at(`view-${view}`).dataset.open = argument !== null;
  views[view]?.open();
  search.show(query);
  if (query !== filterText) filterBy(query);
  if (view === "pushes") choose(argument);
}

function filterBy(text) {
  filterText = text;
  search.complain("");
  const parameters = parse(text);
  for (const link of document.querySelectorAll("#quick a")) {
    const status = link.dataset.status || null;
    link.href = address("pushes", null, having(text, "status", status));
    if ((parameters.status ?? null) === status) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  at("list").scrollTop = 0;
  feed.restart(parameters);
}

function choose(argument) {
  const number = /^\d{1,15}$/.test(argument ?? "") ? Number(argument) : null;
  list.select(number);
  if (number === shownPush) return;
  shownPush = number;
  if (number !== null) showPush(at("detail"), number);
  else fill(at("detail"), nothingChosen());
}

function nothingChosen() {
  const key = (name) => el("kbd", {}, name);
  return el(
    "p.empty", {}, "Choose a push to see it as its device would. ",
    key("j"), " and ", key("k"), " go through the list, ", key("?"), " shows all keys.",
  );
}

// MARK: What arrives

feed.addEventListener("change", ({ detail }) => {
  list.draw();
  // The chosen push was one of the inbox before.
  if (detail.isOther && route().name === "pushes") go(address("pushes"), { replaces: true });
  const isEmpty = feed.rows.length === 0;
  at("welcome").hidden = !isEmpty;
  at("list").hidden = isEmpty;
  if (isEmpty) welcome(at("welcome"), { isFiltered: filterText !== "", status: feed.status });
  at("new").hidden = feed.waiting === 0;
  at("new").textContent = `${plural(feed.waiting, "new push", "new pushes")}`;
  if (!detail.arrived) return;
  say(announcement(detail.arrived, detail.missed));
  views.devices.refresh();
  views.faults.refresh();
});

feed.addEventListener("problem", ({ detail }) => {
  if (detail.status !== 400) return complain(detail.message);
  search.complain(detail.message);
  showState("idle");
});

feed.addEventListener("status", ({ detail: status }) => {
  fill(
    at("counts"), el("span", {}, el("b", {}, count(status.accepted)), " accepted"),
    el("span", { "data-refused": status.refused > 0 }, el("b", {}, count(status.refused)), " refused"),
  );
  const evicted = status.evicted ? `, ${count(status.evicted)} made room` : "";
  at("kept").textContent = `${count(status.kept)} kept of at most ${count(status.most_pushes)}${evicted}`;
  at("kept").title = `${count(status.kept_bytes)} of ${count(status.most_bytes)} bytes`;
  at("to-connections").querySelector("span").textContent = status.connections ? count(status.connections) : "";
  if (feed.rows.length === 0 && filterText === "") welcome(at("welcome"), { isFiltered: false, status });
});

const showState = (state) => {
  at("state").dataset.state = state;
  at("state").textContent = { live: "Live", connecting: "Connecting …", idle: "No filter" }[state];
};
feed.addEventListener("state", ({ detail }) => showState(detail));
feed.stream.addEventListener("state", ({ detail }) => showState(detail));
for (const name of ["connection", "goaway"]) {
  feed.stream.addEventListener(name, () => {
    views.connections.refresh();
    feed.lookAtStatus();
  });
}
feed.stream.addEventListener("changed", ({ detail }) => {
  if (detail.what === "devices") views.devices.refresh();
  if (detail.what === "rules") views.faults.refresh();
});
// Ages and streams in flight change by themselves. A view that is closed or hidden does not look.
setInterval(() => views.connections.refresh(), 1000);
setInterval(() => views.faults.refresh(), 2000);
setInterval(() => views.devices.refresh(), 5000);

// MARK: What a person does

function step(rows) {
  if (route().name !== "pushes") return false;
  const number = list.neighbour(rows);
  if (number !== null) go(address("pushes", number), { replaces: true });
}

list.addEventListener("choose", ({ detail }) => go(address("pushes", detail)));
at("new").addEventListener("click", () => list.toTop());
at("list").addEventListener("keydown", (event) => {
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
  if (!Object.hasOwn(steps, event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  step(steps[event.key]);
});

listen({
  "/": () => search.focus(),
  "?": () => openDialog(at("help")),
  j: () => step(1),
  k: () => step(-1),
  Enter: (event) => {
    if (event.target !== at("list")) return false;
    at("detail").querySelector("h2")?.focus();
  },
  Escape: () => {
    const { name, argument } = route();
    if (argument === null) return false;
    go(address(name));
    if (name === "pushes") at("list").focus();
  },
  ...Object.fromEntries(names.map((name, index) => [index + 1, () => go(at(`to-${name}`).getAttribute("href"))])),
});

prepareDialogs();
prepareRemoval(at("clear"), at("removal"), () => parse(filterText ?? ""));
at("open-help").addEventListener("click", () => openDialog(at("help")));
themeButton(at("theme"));
fill(at("theme"), icon("theme"));
window.addEventListener("hashchange", follow);
follow();
