// A fault as a switch with its settings.
import { api } from "./api.js";
import { el, hint } from "./dom.js";
import { ruleName } from "./switches.js";
import { plural } from "./text.js";

/** How often a rule took effect. */
export const times = (fired) => (fired === 0 ? "has not fired" : `fired ${plural(fired, "time")}`);

/**
 * `{ element, draw }`: `draw` shows how the rules stand, which `rules` gives. `attempt` calls the API, and says what went
 * wrong.
 */
export function switchCard({ name, title, says, settings, rule, read }, rules, attempt) {
  const ruleNow = () => rules().find((one) => one.name === ruleName(name) && !one.spent);
  const fields = settings.map((setting) => ({ setting, input: field(setting, name) }));
  const values = () => Object.fromEntries(fields.map(({ setting, input }) => [setting.name, valueOf(setting, input)]));
  const turn = async (isOn) => {
    const old = ruleNow();
    if (old) await api.removeRule(old.id);
    if (isOn) await api.addRule({ name: ruleName(name), ...rule(values()) });
  };

  const knob = el("input", {
    type: "checkbox", role: "switch", id: `switch-${name}`, "aria-describedby": `says-${name}`,
    onchange: () => attempt(() => turn(knob.checked), `${title} is ${knob.checked ? "on" : "off"}.`),
  });
  for (const { input } of fields) {
    input.addEventListener("change", () => {
      if (knob.checked) attempt(() => turn(true), `${title} changed.`);
    });
  }
  const fired = hint();
  const element = el(
    "li.card", {},
    el("header", {}, el("label", { for: knob.id }, el("h3", {}, title)), el("span.gap"), fired, knob),
    el("p.hint", { id: `says-${name}` }, says),
    el("div.settings", {}, fields.map(({ setting, input }) => labelled(setting, input))),
  );

  const draw = () => {
    const rule = ruleNow();
    for (const { setting, input } of rule ? fields : []) show(read(rule)[setting.name], input);
    knob.checked = Boolean(rule);
    element.dataset.on = Boolean(rule);
    fired.textContent = rule ? times(rule.fired) : "";
  };
  return { element, draw };
}

function field(setting, name) {
  const id = `${name}-${setting.name}`;
  if (!setting.options) {
    return el("input", { id, type: "number", min: setting.min, max: setting.max, step: 1, value: setting.value });
  }
  const options = setting.options.map(([value, words]) =>
    el("option", { value, selected: value === setting.value }, words));
  return el("select", { id }, options);
}

function labelled(setting, input) {
  const words = (text) => (text ? el("span", {}, text) : null);
  return el("label.setting", {}, words(setting.label), input, words(setting.unit));
}

/** The value of a field; of a number the nearest that is allowed. */
function valueOf(setting, input) {
  if (setting.options) return input.value;
  const number = Math.round(Number(input.value));
  input.value = Number.isFinite(number) ? Math.min(Math.max(number, setting.min), setting.max) : setting.value;
  return Number(input.value);
}

/** Shows the value of a rule, unless a person changes it, or the rule is of another kind. */
function show(value, input) {
  if (input === document.activeElement || value === undefined || Number.isNaN(value)) return;
  input.value = value;
}
