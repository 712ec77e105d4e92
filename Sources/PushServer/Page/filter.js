// The words of the filter: `topic:com.example.app status:4xx boarding` becomes parameters of the API.

export const qualifiers = {
  topic: "the topic, whole",
  token: "the beginning of the device token",
  status: "200, 4xx, accepted or refused",
  type: "alert, background, voip …",
  reason: "why it was refused",
  channel: "the channel of a broadcast",
  connection: "the number of the connection",
  key: "the key id of the provider token",
  session: "the name of a session",
};

/** Words without a known qualifier are one text, looked for in payload, headers and ids. */
export function parse(text) {
  const parameters = {};
  const words = [];
  for (const [, name, value] of text.matchAll(/(?:([a-z]+):)?("[^"]*"?|[^\s"]+)/g)) {
    const bare = value.startsWith('"') ? value.slice(1, value.endsWith('"') && value.length > 1 ? -1 : undefined) : value;
    if (name && Object.hasOwn(qualifiers, name)) parameters[name] = bare;
    // A qualifier whose value is still to be typed says nothing.
    else if (!name && bare.endsWith(":") && Object.hasOwn(qualifiers, bare.slice(0, -1))) continue;
    else words.push(name ? `${name}:${bare}` : bare);
  }
  if (words.length) parameters.text = words.join(" ");
  return parameters;
}

/** A word of the filter for a value, quoted if it needs to be. */
export function word(name, value) {
  const text = String(value).replaceAll('"', "");
  return /\s/.test(text) || text === "" ? `${name}:"${text}"` : `${name}:${text}`;
}

/** The filter with a qualifier set, or removed with null. */
export function having(text, name, value) {
  const without = text.replace(new RegExp(`(^|\\s)${name}:("[^"]*"?|[^\\s"]*)`, "g"), " ").replace(/\s+/g, " ").trim();
  return value === null ? without : [without, word(name, value)].filter(Boolean).join(" ");
}
