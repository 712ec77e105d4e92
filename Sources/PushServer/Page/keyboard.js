// Keys. None counts while a person types, or together with Control, Alt or Meta.

/** Calls `keys[name]` for a key, unless something else wants it. */
export function listen(keys) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select")) return;
    if (document.querySelector("dialog[open]")) return;
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : null;
    if (act?.(event) === false || !act) return;
    event.preventDefault();
  });
}
