// Faults: some as switches, and all rules that there are.
import { api } from "./api.js";
import { el, fill, bdi } from "./dom.js";
import { complain, say } from "./live.js";
import { morph } from "./morph.js";
import { switchCard, times } from "./switchcard.js";
import { switches } from "./switches.js";
import { plain, shortened } from "./text.js";

let known = [];

/** Builds the view once. Gives what draws the state of the rules into it. */
export function faultsView(box) {
  const cards = switches.map((one) => switchCard(one, () => known, attempt));
  const list = el("div.rules");
  const removeAll = () => attempt(() => api.removeRules(), "All rules were removed.");
  fill(
    box,
    el("p.lead", {}, "How the simulated APNs misbehaves. Each switch is a rule; rules meet what comes next."),
    el("ul.cards.switches", {}, cards.map((card) => card.element)),
    el(
      "section.part", { "aria-label": "Rules" },
      el(
        "header", {}, el("h3", {}, "Rules"), el("span.gap"),
        el("button.small", { type: "button", onclick: removeAll }, "Remove all"),
      ),
      list, adding(),
    ),
  );
  return async () => {
    known = (await api.rules()).rules;
    for (const card of cards) card.draw();
    morph(list, table(known));
  };
}

/** Calls the API, says what came of it, and looks at the rules again. */
async function attempt(call, sentence) {
  try {
    await call();
    say(sentence);
    return true;
  } catch (error) {
    complain(error.message);
    return false;
  } finally {
    window.dispatchEvent(new Event("hashchange"));
  }
}

function table(rules) {
  if (rules.length === 0) return el("p.empty", {}, "No rules: every push gets the answer that it deserves.");
  const heads = ["Name", "Rule", "Fired"].map((name) => el("th", { scope: "col" }, name));
  return el(
    "div.scroll", { tabindex: "0", role: "region", "aria-label": "Table of rules" },
    el("table", {}, el("thead", {}, el("tr", {}, heads, el("td"))), el("tbody", {}, rules.map(row))),
  );
}

function row({ id, fired, spent, name, ...conditions }) {
  const words = shortened(plain(name ?? `rule ${id}`), 80);
  const remove = {
    type: "button", id: `remove-rule-${id}`, "aria-label": `Remove ${words}`,
    onclick: () => attempt(() => api.removeRule(id), "The rule was removed."),
  };
  return el(
    "tr", { id: `rule-${id}`, "data-spent": spent }, el("th", { scope: "row" }, bdi(words)),
    el("td.code", {}, bdi(shortened(plain(JSON.stringify(conditions)), 400))),
    el("td", {}, times(fired) + (spent ? ", spent" : "")), el("td", {}, el("button.small", remove, "Remove")),
  );
}

function adding() {
  const area = el("textarea.code", {
    rows: 3, id: "new-rule", spellcheck: "false",
    placeholder: '{ "when": { "everyPush": 10 }, "then": { "delay": "250ms" } }',
  });
  const add = async (event) => {
    event.preventDefault();
    if (await attempt(() => api.addRule(area.value), "The rule was added.")) area.value = "";
  };
  return el(
    "form.adding-rule", { onsubmit: add }, el("label", { for: "new-rule" }, "Any other rule of a fault script"), area,
    el("button.small", { type: "submit" }, "Add rule"),
  );
}
