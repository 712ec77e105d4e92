// The connections of providers: how they stand, and what can be done to them.
import { api } from "./api.js";
import { el, fill, bdi } from "./dom.js";
import { having } from "./filter.js";
import { complain, say } from "./live.js";
import { address } from "./router.js";
import { count, plain, plural } from "./text.js";
import { now, relative, span } from "./time.js";

const phases = {
  connecting: "TLS is not up yet", open: "takes pushes", draining: "GOAWAY was sent", muted: "nothing is written any more",
  deaf: "nothing is processed any more",
};

export async function drawConnections(box, refresh) {
  const { connections } = await api.connections();
  const focus = box.contains(document.activeElement) ? document.activeElement.id : "";
  if (connections.length === 0) {
    fill(box, el("p.empty", {}, "No provider is connected."));
    return;
  }
  fill(box, el("p.lead", {}, plural(connections.length, "connection")), el("ul.cards", {}, connections.map((one) => card(one, refresh))));
  if (focus) document.getElementById(focus)?.focus();
}

function card(connection, refresh) {
  const { id, phase } = connection;
  const act = (name, action, sentence) =>
    el("button.small", { type: "button", id: `${action}-${id}`, "aria-label": `${name} connection ${id}`, onclick: async () => {
      try {
        await api.act(id, action);
        say(sentence);
      } catch (error) {
        complain(error.message);
      }
      refresh();
    } }, name);
  return el(
    "li.card", { "aria-label": `Connection ${id}` },
    el("header", {}, el("h3", {}, el("a", { href: address("pushes", null, having("", "connection", id)) }, `Connection ${id}`)),
      el("span.state", { "data-phase": phase }, plain(phase)), el("span.hint", {}, Object.hasOwn(phases, phase) ? phases[phase] : ""),
      el("span.gap"), el("span.hint", {}, `opened ${relative(Date.parse(connection.opened))}${connection.port === "management" ? ", management port" : ""}`)),
    el("dl.numbers", {},
      fact("Streams in flight", `${count(connection.open_streams)} of ${count(connection.stream_limit)}`, connection.open_streams / Math.max(1, connection.stream_limit)),
      fact("Answers held", count(connection.waiting_answers)),
      fact("Window not given back", `${count(connection.unreturned_bytes)} bytes`, connection.unreturned_bytes / 65535),
      fact("Requests", count(connection.requests)), fact("Refused", count(connection.refusals)), fact("Provider token", token(connection)),
    ),
    el("p.meta", {}, identity(connection)),
    el("div.actions", {}, act("GOAWAY", "goaway", `GOAWAY was sent on connection ${id}.`), act("Cut", "cut", `Connection ${id} was cut.`),
      phase === "muted" ? act("Unmute", "unmute", `Connection ${id} writes again.`) : act("Mute", "mute", `Connection ${id} is silent.`)),
  );
}

function fact(name, value, part = null) {
  const bar = part === null ? null : el("span.track", { "aria-hidden": "true" }, el("span.fillbar"));
  if (bar) bar.firstChild.style.inlineSize = `${Math.min(1, part) * 100}%`;
  return el("div", {}, el("dt", {}, name), el("dd", {}, value, bar));
}

function token(connection) {
  if (!connection.token_issued) return connection.subject_uid ? "certificate" : "none yet";
  return `${span(now() - Date.parse(connection.token_issued))} old`;
}

function identity(connection) {
  if (connection.key_id) return bdi(plain(`key ${connection.key_id}, team ${connection.team_id}`), { class: "code" });
  if (connection.subject_uid) return bdi(plain(`certificate of ${connection.subject_uid}, team ${connection.team_id}`), { class: "code" });
  return el("span.hint", {}, "no genuine credential so far");
}
