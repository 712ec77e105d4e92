// What the list says while it has no pushes.
import { el, fill, pair, bdi } from "./dom.js";
import { copyButton } from "./copy.js";
import { plain } from "./text.js";

export function welcome(box, { isFiltered, status }) {
  if (isFiltered) {
    fill(box, el("p", {}, "No push fits this filter."));
    return;
  }
  const command = "pushctl send aabb --title Hello --body 'It works'";
  const facts = status
    ? { Host: `${status.apns_host}:${status.apns_port}`, Topic: status.topic, Key: status.key_id, Team: status.team_id }
    : {};
  fill(
    box, el("h2", {}, "Waiting for the first push"),
    el("p", {}, "Point your server at the simulated APNs, or try it in a shell that has the variables it printed:"),
    el("div.try", {}, el("code", {}, command), copyButton("Copy the command", () => command)),
    el("dl.facts", {}, Object.entries(facts).map(([name, value]) => pair(name, bdi(plain(value), { class: "code" })))),
  );
}
