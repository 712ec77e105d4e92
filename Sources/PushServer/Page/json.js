// Reads JSON as it was sent: numbers keep their digits, and names that occur twice stay. It does not call itself, so that
// no depth is too deep.

const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const space = /[ \t\n\r]*/y;

/**
 * A tree of `{ kind, text, entries }`: the kinds are object, array, string, number, true, false and null; entries are pairs
 * of a name or a position and a node. Null if it is not JSON.
 */
export function parseJSON(source) {
  let at = 0;
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };
  const take = (character) => {
    match(space);
    if (source[at] !== character) return false;
    at += 1;
    return true;
  };
  const name = () => {
    match(space);
    const found = match(string);
    return found !== null && take(":") ? JSON.parse(found) : null;
  };
  const value = () => {
    if (take("{")) return { kind: "object", entries: [] };
    if (take("[")) return { kind: "array", entries: [] };
    const quoted = match(string);
    if (quoted !== null) return { kind: "string", text: JSON.parse(quoted) };
    const found = match(literal);
    if (found === null) return null;
    return { kind: /^[tfn]/.test(found) ? found : "number", text: found };
  };

  const root = { kind: "root", entries: [] };
  const open = [root];
  while (open.length) {
    const parent = open[open.length - 1];
    const close = { object: "}", array: "]" }[parent.kind];
    const isFirst = parent.entries.length === 0;
    if (close ? take(close) : !isFirst) {
      open.pop();
      continue;
    }
    if (!isFirst && !take(",")) return null;
    const key = parent.kind === "object" ? name() : parent.entries.length;
    if (key === null) return null;
    const node = value();
    if (node === null) return null;
    parent.entries.push([key, node]);
    if (node.entries) open.push(node);
  }
  match(space);
  return at === source.length ? root.entries[0][1] : null;
}
