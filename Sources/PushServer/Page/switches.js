// The faults that are switches: their settings, the rule that each stands for, and the settings of such a rule.
import { reasons } from "./reasons.js";

const reasonNames = Object.entries(reasons).map(([reason, [status]]) => [reason, `${status} ${reason}`]);

const share = { name: "share", unit: "% of the pushes", value: 100, min: 1, max: 100 };
const each = { name: "each", label: "every", unit: "pushes of a connection", value: 100, min: 1, max: 1000000 };

const endings = [["rst", "RST, a reset"], ["fin", "FIN, an end"]];
const silences = [["hold", "the push"], ["mute", "its connection from then on"]];

const probability = (values) => (values.share < 100 ? { probability: values.share / 100 } : {});
const shareOf = (rule) => Math.round((rule.probability ?? 1) * 100);

export const switches = [
  {
    name: "refuse",
    title: "Refuse pushes",
    says: "Answer with a reason of APNs.",
    settings: [{ name: "reason", label: "with", options: reasonNames, value: "ServiceUnavailable" }, share],
    rule: (values) => ({ when: "push", ...probability(values), then: { refuse: values.reason } }),
    read: (rule) => ({ reason: rule.then?.refuse, share: shareOf(rule) }),
  },
  {
    name: "goaway",
    title: "GOAWAY",
    says: "Ask providers to open a new connection.",
    settings: [each],
    rule: (values) => ({ when: { everyPush: values.each }, then: "goAway" }),
    read: (rule) => ({ each: rule.when?.everyPush }),
  },
  {
    name: "cut",
    title: "Cut",
    says: "End the connection as a broken network does.",
    settings: [{ name: "how", label: "with", options: endings, value: "rst" }, each],
    rule: (values) => ({ when: { everyPush: values.each }, then: { cut: values.how } }),
    read: (rule) => ({ how: rule.then?.cut, each: rule.when?.everyPush }),
  },
  {
    name: "silence",
    title: "Silence",
    says: "Answer nothing.",
    settings: [{ name: "what", label: "to", options: silences, value: "hold" }, share],
    rule: (values) => ({ when: "push", ...probability(values), then: values.what }),
    read: (rule) => ({ what: rule.then, share: shareOf(rule) }),
  },
  {
    name: "delay",
    title: "Slow answers",
    says: "Answer late.",
    settings: [{ name: "delay", label: "by", unit: "ms", value: 500, min: 1, max: 600000 }, share],
    rule: (values) => ({ when: "push", ...probability(values), then: { delay: `${values.delay}ms` } }),
    read: (rule) => ({ delay: Number.parseFloat(rule.then?.delay), share: shareOf(rule) }),
  },
  {
    name: "window",
    title: "Slow window",
    says: "Give flow-control bytes back slowly, on connections that open from now on.",
    settings: [{ name: "bytes", label: "at most", unit: "bytes each 50 ms", value: 4096, min: 1, max: 1000000 }],
    rule: (values) => {
      const pace = { trickle: { bytes: values.bytes, every: "50ms" } };
      return { when: "connected", then: { window: { of: "all", pace } } };
    },
    read: (rule) => ({ bytes: rule.then?.window?.pace?.trickle?.bytes }),
  },
];

/** The name of the rule of a switch. */
export const ruleName = (name) => `switch: ${name}`;
