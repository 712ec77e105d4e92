// What a screen reader says, and what the page says for a moment. At most one sentence in two seconds.

let next = null;
let isResting = false;

/** Says a sentence politely. Of several that come at once the last one counts. */
export function say(sentence) {
  next = sentence;
  if (!isResting) speak();
}

function speak() {
  document.getElementById("said").textContent = next;
  next = null;
  isResting = true;
  setTimeout(() => {
    isResting = false;
    if (next !== null) speak();
  }, 2000);
}

let timer = 0;

/** Shows an error below the list or view for some seconds. */
export function complain(sentence) {
  const box = document.getElementById("trouble");
  box.textContent = sentence;
  box.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (box.hidden = true), 8000);
}
