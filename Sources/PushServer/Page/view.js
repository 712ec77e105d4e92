// A view that looks at the inbox when it is opened and when something happens, while it is seen.
import { complain } from "./live.js";

let isPressed = false;
document.addEventListener("pointerdown", () => (isPressed = true));
for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => (isPressed = false));

/** What changes under a finger or a selection is lost to the person. */
const isInUse = () => isPressed || document.getSelection()?.isCollapsed === false;

export class View {
  #isOpen = false;
  #isLooking = false;
  #isAsked = false;
  #look;
  #pause;

  /** `look` reads and draws. It runs once at a time, and rests for `pause` milliseconds. */
  constructor(look, pause = 500) {
    this.#look = look;
    this.#pause = pause;
    document.addEventListener("visibilitychange", () => this.refresh());
  }

  open() {
    this.#isOpen = true;
    this.refresh({ isForced: true });
  }

  close() {
    this.#isOpen = false;
  }

  /** Looks again, soon. */
  async refresh({ isForced = false } = {}) {
    if (!this.#isOpen || document.hidden || (!isForced && isInUse())) return;
    if (this.#isLooking) {
      this.#isAsked = true;
      return;
    }
    this.#isLooking = true;
    this.#isAsked = false;
    try {
      await this.#look();
    } catch (error) {
      complain(error.message);
    }
    setTimeout(() => {
      this.#isLooking = false;
      if (this.#isAsked) this.refresh();
    }, this.#pause);
  }
}
