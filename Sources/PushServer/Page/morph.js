// Draws anew without replacing what stays: the focus, an open menu and the place of a screen reader are kept.

/** Makes the children of a box like new ones. Elements of one kind with one id (or none) are the same: listeners stay. */
export function morph(box, ...children) {
  const fresh = document.createElement("div");
  fresh.append(...children.flat(2).filter((child) => child !== null));
  morphChildren(box, fresh);
}

function morphChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  wanted.forEach((node, index) => {
    const present = old.childNodes[index];
    if (!present) old.append(node);
    else if (isSame(present, node)) morphNode(present, node);
    else present.replaceWith(node);
  });
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
}

const isSame = (old, fresh) => old.nodeName === fresh.nodeName && (old.id ?? "") === (fresh.id ?? "");

function morphNode(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  // Content-Security-Policy forbids the attribute; the property may be set.
  const names = (element) => [...element.attributes].map(({ name }) => name).filter((name) => name !== "style");
  for (const name of names(old)) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const name of names(fresh)) {
    const value = fresh.getAttribute(name);
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (old.style?.cssText !== fresh.style?.cssText) old.style.cssText = fresh.style.cssText;
  morphChildren(old, fresh);
  if (old.matches("select") && old !== document.activeElement) old.value = fresh.value;
}
