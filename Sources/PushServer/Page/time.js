// Times as people read them. The inbox's clock counts, not that of the browser.

let ahead = 0;

/** Learns from an answer how far the inbox's clock is ahead. */
export function setClock(text) {
  const time = Date.parse(text);
  if (Number.isFinite(time)) ahead = time - Date.now();
}

export const now = () => Date.now() + ahead;

const two = (number) => String(number).padStart(2, "0");

/** `10:06:45` of the browser's time zone. */
export function clock(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "–";
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `2026-11-21 10:06:45`, of the browser's time zone. */
export function dateAndClock(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "no date";
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(time)}`;
}

/** `21 min`, `3 h`: how long something takes. */
export function span(milliseconds) {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400 * 2) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} days`;
}

/** `21 min ago`, `in 3 h`. */
export function relative(time) {
  const distance = time - now();
  if (Math.abs(distance) < 1000) return "now";
  return distance < 0 ? `${span(distance)} ago` : `in ${span(distance)}`;
}
