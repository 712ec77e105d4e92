// Looks into payloads, whose shape nobody promised.

const limit = 64;

/** The payload as a value; null if it is not JSON, or nested deeper than any device's app would. */
export function valueOf(push) {
  if (!push.is_whole || !push.payload_text) return null;
  try {
    const value = JSON.parse(push.payload_text);
    return isDeeper(value, limit) ? shallow(value) : value;
  } catch {
    return null;
  }
}

/** A member of an object; null if there is none. */
export const member = (value, name) =>
  value !== null && typeof value === "object" && Object.hasOwn(value, name) ? value[name] : null;

export const textOf = (value) => (typeof value === "string" ? value : null);

export const numberOf = (value) => (typeof value === "number" && Number.isFinite(value) ? value : null);

function isDeeper(value, most) {
  let level = [value];
  for (let depth = 0; level.length; depth += 1) {
    if (depth > most) return true;
    level = level.filter((one) => one !== null && typeof one === "object").flatMap((one) => Object.values(one));
  }
  return false;
}

/** The members without what is nested too deeply to be written on one line. */
function shallow(value) {
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, isDeeper(one, limit - 1) ? "…" : one]));
}
