// The address after `#` says what is shown: `#/push/12?q=status:410`, `#/devices/TOKEN`, `#/connections`, `#/faults`.
import { halves } from "./text.js";

export function route() {
  const [path, search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/").map(decoded);
  return { name: name || "pushes", argument: rest.join("/") || null, query: new URLSearchParams(search).get("q") ?? "" };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a view. The filter stays as it is unless another one is given. */
export function address(name, argument = null, query = route().query) {
  const path = argument === null ? name : `${name}/${encoded(argument)}`;
  return `#/${path}${query ? "?q=" + encoded(query) : ""}`;
}

/** Halves of surrogate pairs have no code: they are replaced, as in UTF-8. */
const encoded = (text) => encodeURIComponent(String(text).replace(halves, "\ufffd"));

/** Goes to a view. `replaces` leaves no step for the browser's back button. */
export function go(to, { replaces = false } = {}) {
  if (to === location.hash) return;
  if (!replaces) {
    location.hash = to;
    return;
  }
  history.replaceState(null, "", to);
  window.dispatchEvent(new Event("hashchange"));
}
