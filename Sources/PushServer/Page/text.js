// Makes text of strangers safe to look at: what a reader could not see, or what moves other text, becomes an escape.

/** Halves of surrogate pairs, which no text has but for mistakes and attacks. */
export const halves = /\p{Cs}/gu;

// Control and format characters, among them marks of direction and tags; line separators; fillers that look like nothing.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0]/gu;

/** As JSON writes it: `\u202e`, and two of these for a character beyond 16 bits. */
const escape = (character) =>
  Array.from({ length: character.length }, (_, index) => character.charCodeAt(index).toString(16).padStart(4, "0"))
    .map((digits) => `\\u${digits}`)
    .join("");

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
