// Makes text of strangers safe to look at: what a reader could not see, or what moves other text, becomes an escape.

// Control characters, DEL and C1, marks of direction, invisible characters, line separators, halves of surrogate pairs.
const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const invisible = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const unseen = new RegExp(`${invisible.source}|${halves.source}`, "g");

const escape = (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");

/** For facts and code: everything invisible is an escape. */
export const plain = (text) => String(text).replace(unseen, escape);

/** The same on several lines. */
export const plainLines = (text) =>
  String(text).replace(unseen, (character) => (character === "\n" || character === "\t" ? character : escape(character)));

/** As a device shows it: emoji sequences and right-to-left text stay; half characters are escapes. */
export const shown = (text) => String(text).replace(halves, escape);

/** The beginning of a text, never half a character. */
export function shortened(text, most) {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 1]) ? most - 1 : most;
  return text.slice(0, end) + "…";
}

/** The ends of a device token, which tell it from others. */
export function ends(token) {
  const text = plain(token);
  return text.length <= 20 ? text : text.slice(0, 8) + "…" + text.slice(-8);
}

export const count = (number) => Number(number ?? 0).toLocaleString("en");

export const plural = (number, one, many = one + "s") => `${count(number)} ${number === 1 ? one : many}`;
