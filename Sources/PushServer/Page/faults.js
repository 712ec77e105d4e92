// Faults as switches. A switch is a rule with a name of its own; the rules below are all that there are.
import { api } from "./api.js";
import { el, fill, bdi } from "./dom.js";
import { complain, say } from "./live.js";
import { reasons } from "./reasons.js";
import { plain, plural, shortened } from "./text.js";

const reasonNames = Object.entries(reasons).map(([reason, [status]]) => [reason, `${status} ${reason}`]);

const share = { name: "share", label: "of the pushes", unit: "%", value: 100, min: 1, max: 100 };
const each = { name: "each", label: "every", unit: "pushes of a connection", value: 100, min: 1, max: 1000000 };
const probability = (values) => (values.share < 100 ? { probability: values.share / 100 } : {});

const shareOf = (rule) => Math.round((rule.probability ?? 1) * 100);

/** Each switch with its settings, the rule that it stands for, and the settings of such a rule. */
const switches = [
  {
    name: "refuse", title: "Refuse pushes", says: "Answer with a reason of APNs.",
    settings: [{ name: "reason", label: "with", options: reasonNames, value: "ServiceUnavailable" }, share],
    rule: (values) => ({ when: "push", ...probability(values), then: { refuse: values.reason } }),
    read: (rule) => ({ reason: rule.then?.refuse, share: shareOf(rule) }),
  },
  {
    name: "goaway", title: "GOAWAY", says: "Ask providers to open a new connection.", settings: [each],
    rule: (values) => ({ when: { everyPush: values.each }, then: "goAway" }),
    read: (rule) => ({ each: rule.when?.everyPush }),
  },
  {
    name: "cut", title: "Cut", says: "End the connection as a broken network does.",
    settings: [{ name: "how", label: "with", options: [["rst", "a reset (RST)"], ["fin", "an end (FIN)"]], value: "rst" }, each],
    rule: (values) => ({ when: { everyPush: values.each }, then: { cut: values.how } }),
    read: (rule) => ({ how: rule.then?.cut, each: rule.when?.everyPush }),
  },
  {
    name: "silence", title: "Silence", says: "Answer nothing.",
    settings: [{ name: "what", label: "for", options: [["hold", "the push alone"], ["mute", "the whole connection from then on"]], value: "hold" }, share],
    rule: (values) => ({ when: "push", ...probability(values), then: values.what }),
    read: (rule) => ({ what: rule.then, share: shareOf(rule) }),
  },
  {
    name: "delay", title: "Slow answers", says: "Answer late.",
    settings: [{ name: "delay", label: "by", unit: "ms", value: 500, min: 1, max: 600000 }, share],
    rule: (values) => ({ when: "push", ...probability(values), then: { delay: `${values.delay}ms` } }),
    read: (rule) => ({ delay: Number.parseFloat(rule.then?.delay), share: shareOf(rule) }),
  },
  {
    name: "window", title: "Slow window", says: "Give flow-control bytes back slowly, on connections that open from now on.",
    settings: [{ name: "bytes", label: "at most", unit: "bytes each 50 ms", value: 4096, min: 1, max: 1000000 }],
    rule: (values) => ({ when: "connected", then: { window: { of: "all", pace: { trickle: { bytes: values.bytes, every: "50ms" } } } } }),
    read: (rule) => ({ bytes: rule.then?.window?.pace?.trickle?.bytes }),
  },
];

const ruleName = (name) => `switch: ${name}`;
let known = [];

/** Builds the view once. Returns what draws the state of the rules into it. */
export function faultsView(box) {
  const cards = switches.map(switchCard);
  const list = el("div.rules");
  fill(box,
    el("p.lead", {}, "How the simulated APNs misbehaves. Each switch is a rule; rules meet the pushes that come next."),
    el("ul.cards.switches", {}, cards.map((card) => card.element)),
    el("section.part", { "aria-label": "Rules" }, el("header", {}, el("h3", {}, "Rules"), el("span.gap"), removal()), list, adding()));
  return async () => {
    known = (await api.rules()).rules;
    for (const card of cards) card.draw();
    const focus = list.contains(document.activeElement) ? document.activeElement.id : "";
    fill(list, table(known));
    if (focus) document.getElementById(focus)?.focus();
  };
}

/** Calls the API, and says what went wrong. The inbox tells that the rules changed, so the view draws itself. */
async function attempt(call, sentence) {
  try {
    await call();
    if (sentence) say(sentence);
    return true;
  } catch (error) {
    complain(error.message);
    return false;
  } finally {
    window.dispatchEvent(new Event("hashchange"));
  }
}

function switchCard({ name, title, says, settings, rule, read }) {
  const ruleNow = () => known.find((one) => one.name === ruleName(name) && !one.spent);
  const inputs = settings.map((setting) => [setting, input(setting, name)]);
  const values = () => Object.fromEntries(inputs.map(([setting, field]) => [setting.name, setting.options ? field.value : within(setting, field)]));
  const add = () => api.addRule({ name: ruleName(name), ...rule(values()) });
  const turn = async (isOn) => {
    const old = ruleNow();
    if (old) await api.removeRule(old.id);
    if (isOn) await add();
  };
  const knob = el("input", { type: "checkbox", role: "switch", id: `switch-${name}`, "aria-describedby": `says-${name}` });
  knob.addEventListener("change", () => attempt(() => turn(knob.checked), `${title} is ${knob.checked ? "on" : "off"}.`));
  for (const [, field] of inputs) {
    field.addEventListener("change", () => {
      if (knob.checked) attempt(() => turn(true), `${title} changed.`);
    });
  }
  const show = (read) => {
    for (const [setting, field] of inputs) {
      const value = read[setting.name];
      if (field !== document.activeElement && value !== undefined && !Number.isNaN(value)) field.value = value;
    }
  };
  const fired = el("span.hint");
  const element = el("li.card", {}, el("header", {}, el("label", { for: `switch-${name}` }, el("h3", {}, title)), el("span.gap"), fired, knob),
    el("p.hint", { id: `says-${name}` }, says),
    el("div.settings", {}, inputs.map(([setting, field]) => el("label.setting", {}, setting.unit === "%" ? [field, "% "] : el("span", {}, setting.label), setting.unit === "%" ? el("span", {}, setting.label) : field, setting.unit && setting.unit !== "%" ? el("span", {}, setting.unit) : ""))));
  const draw = () => {
    const rule = ruleNow();
    if (rule) show(read(rule));
    if (document.activeElement !== knob || knob.checked !== Boolean(rule)) knob.checked = Boolean(rule);
    element.dataset.on = Boolean(rule);
    fired.textContent = rule ? times(rule.fired) : "";
  };
  return { element, draw };
}

const times = (fired) => (fired === 0 ? "has not fired" : `fired ${plural(fired, "time")}`);

function input(setting, name) {
  const id = `${name}-${setting.name}`;
  if (setting.options) {
    return el("select", { id }, setting.options.map(([value, words]) => el("option", { value, selected: value === setting.value }, words)));
  }
  return el("input", { id, type: "number", min: setting.min, max: setting.max, step: 1, value: setting.value });
}

/** The number of a field, at the nearest that is allowed. */
function within(setting, field) {
  const number = Math.round(Number(field.value));
  const value = Number.isFinite(number) ? Math.min(Math.max(number, setting.min), setting.max) : setting.value;
  field.value = value;
  return value;
}

function table(rules) {
  if (rules.length === 0) return el("p.empty", {}, "No rules: every push gets the answer that it deserves.");
  const rows = rules.map((rule) => {
    const { id, fired, spent, name, ...conditions } = rule;
    const words = plain(name ?? `rule ${id}`);
    return el("tr", { "data-spent": spent }, el("th", { scope: "row" }, bdi(shortened(words, 80))), el("td.code", {}, bdi(shortened(plain(JSON.stringify(conditions)), 400))),
      el("td", {}, times(fired), spent ? ", spent" : ""),
      el("td", {}, el("button.small", { type: "button", id: `remove-rule-${id}`, "aria-label": `Remove ${words}`,
        onclick: () => attempt(() => api.removeRule(id), "The rule was removed.") }, "Remove")));
  });
  return el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Table of rules" }, el("table", {}, el("thead", {}, el("tr", {}, ["Name", "Rule", "Fired", ""].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows)));
}

const removal = () =>
  el("button.small", { type: "button", onclick: () => attempt(() => api.removeRules(), "All rules were removed.") }, "Remove all");

function adding() {
  const area = el("textarea.code", { rows: 3, id: "new-rule", "aria-label": "A rule as JSON", spellcheck: "false",
    placeholder: '{ "when": { "everyPush": 10 }, "then": { "delay": "250ms" } }' });
  return el("form.adding-rule", { onsubmit: async (event) => {
    event.preventDefault();
    if (await attempt(() => api.addRule(area.value), "The rule was added.")) area.value = "";
  } }, el("label", { for: "new-rule" }, "Any other rule of a fault script"), area, el("button.small", { type: "submit" }, "Add rule"));
}
