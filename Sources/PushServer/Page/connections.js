// The connections of providers: how they stand, and what can be done to them.
import { api } from "./api.js";
import { el, hint, bdi } from "./dom.js";
import { word } from "./filter.js";
import { complain, say } from "./live.js";
import { morph } from "./morph.js";
import { address } from "./router.js";
import { count, plain, plural } from "./text.js";
import { now, relative, span } from "./time.js";

const phases = {
  connecting: "TLS is not up yet",
  open: "takes pushes",
  draining: "GOAWAY was sent",
  muted: "nothing is written any more",
  deaf: "nothing is processed any more",
};

/** The window that a connection of HTTP/2 begins with (RFC 9113, section 6.9.2). */
const window = 65535;

export async function drawConnections(box, refresh) {
  const { connections } = await api.connections();
  if (connections.length === 0) {
    morph(box, el("p.empty", {}, "No provider is connected."));
    return;
  }
  morph(
    box, el("p.lead", {}, plural(connections.length, "connection")),
    el("ul.cards", {}, connections.map((connection) => card(connection, refresh))),
  );
}

function card(connection, refresh) {
  const { id } = connection;
  return el(
    "li.card", { id: `connection-${id}`, "aria-label": `Connection ${id}` }, heading(connection), numbers(connection),
    el("p.meta", {}, identity(connection)), actions(connection, refresh),
  );
}

function heading({ id, phase, opened, port }) {
  const link = el("a", { href: address("pushes", null, word("connection", id)) }, `Connection ${id}`);
  const suffix = port === "management" ? ", management port" : "";
  return el(
    "header", {}, el("h3", {}, link), el("span.state", { "data-phase": phase }, plain(phase)),
    hint(Object.hasOwn(phases, phase) ? phases[phase] : ""), el("span.gap"),
    hint(`opened ${relative(Date.parse(opened))}${suffix}`),
  );
}

function numbers(connection) {
  const { open_streams: open, stream_limit: limit, unreturned_bytes: unreturned } = connection;
  return el(
    "dl.numbers", {},
    fact("Streams in flight", `${count(open)} of ${count(limit)}`, open / Math.max(1, limit)),
    fact("Answers held", count(connection.waiting_answers)),
    fact("Window not given back", `${count(unreturned)} bytes`, unreturned / window),
    fact("Requests", count(connection.requests)),
    fact("Refused", count(connection.refusals)),
    fact("Provider token", token(connection)),
  );
}

function fact(name, value, part = null) {
  const bar = part === null ? null : el("span.track", { "aria-hidden": "true" }, el("span.fillbar"));
  if (bar) bar.firstChild.style.inlineSize = `${Math.min(1, part) * 100}%`;
  return el("div", {}, el("dt", {}, name), el("dd", {}, value, bar));
}

function token(connection) {
  if (connection.token_issued) return `${span(now() - Date.parse(connection.token_issued))} old`;
  return connection.subject_uid ? "certificate" : "none yet";
}

function identity({ key_id: key, subject_uid: subject, team_id: team }) {
  if (!key && !subject) return hint("no genuine credential so far");
  return bdi(plain(`${key ? `key ${key}` : `certificate of ${subject}`}, team ${team}`), { class: "code" });
}

function actions({ id, phase }, refresh) {
  const button = (name, action, sentence) => {
    const act = async () => {
      try {
        await api.act(id, action);
        say(sentence);
      } catch (error) {
        complain(error.message);
      }
      refresh();
    };
    const label = `${name} connection ${id}`;
    return el("button.small", { type: "button", id: `${action}-${id}`, "aria-label": label, onclick: act }, name);
  };
  return el(
    "div.actions", {},
    button("GOAWAY", "goaway", `GOAWAY was sent on connection ${id}.`),
    button("Cut", "cut", `Connection ${id} was cut.`),
    phase === "muted"
      ? button("Unmute", "unmute", `Connection ${id} writes again.`)
      : button("Mute", "mute", `Connection ${id} is silent.`),
  );
}
