// The pushes that the list shows: an unbroken run of them up to the newest one, oldest first. Older ones are loaded when
// the list comes to them. Where pushes were left out of the stream, the run begins anew after the gap.
import { api } from "./api.js";
import { Stream } from "./stream.js";
import { setClock } from "./time.js";

const first = 200;
const more = 1000;
/** While the newest are watched, more than these are forgotten: scrolling down loads them again. */
const most = 4000;

export class Feed extends EventTarget {
  /** Summaries, oldest first. */
  rows = [];
  filter = {};
  /** Whether nothing older is at the inbox. */
  isComplete = false;
  /** How many came while the list was held. */
  waiting = 0;
  status = null;
  stream = new Stream();

  #isHeld = false;
  /** The number of the last push that is known of. */
  #last = 0;
  #arrived = [];
  #missed = 0;
  #isDrawing = false;
  #loading = null;
  #generation = 0;
  #statusTimer = 0;

  constructor() {
    super();
    this.stream.addEventListener("push", (event) => this.#take(event.detail));
    this.stream.addEventListener("counts", (event) => this.#skip(event.detail.skipped));
    this.stream.addEventListener("changed", (event) => {
      if (event.detail.what === "pushes") this.restart();
    });
    this.stream.addEventListener("lost", () => this.restart());
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.stream.stop();
      // A list that a person has scrolled stays where it is; what came is counted.
      else if (this.#isHeld) this.stream.start(this.filter, this.#last);
      else this.restart();
    });
  }

  /** Begins again with the newest pushes of a filter. What is wrong with it comes as `problem`. */
  async restart(filter = this.filter) {
    this.filter = filter;
    this.#generation += 1;
    const generation = this.#generation;
    this.stream.stop();
    let page;
    try {
      page = await api.pushes({ ...filter, limit: first });
    } catch (error) {
      if (generation === this.#generation) this.#failed(error);
      return;
    }
    if (generation !== this.#generation) return;
    // Numbers only increase, unless the inbox was started again.
    const isOther = page.next < this.#last;
    this.rows = page.pushes;
    this.#last = page.next;
    this.isComplete = page.pushes.length < first;
    [this.waiting, this.#arrived, this.#missed, this.#loading] = [0, [], 0, null];
    if (!document.hidden) this.stream.start(filter, page.next);
    this.lookAtStatus();
    this.#tell("change", { isOther });
  }

  #failed(error) {
    this.#tell("problem", error);
    if (error.status >= 400 && error.status < 500) {
      // The filter is wrong, which time does not heal.
      this.rows = [];
      this.lookAtStatus();
      this.#tell("change", {});
      return;
    }
    this.#tell("state", "connecting");
    const generation = this.#generation;
    setTimeout(() => {
      if (generation === this.#generation && !document.hidden) this.restart();
    }, 2000);
  }

  /** While it is held, the list stays as it is, and what comes is counted. */
  hold(isHeld) {
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    if (!isHeld && this.waiting > 0) this.restart();
  }

  /** Loads pushes that are older than those it has. */
  async loadOlder() {
    if (this.isComplete || this.#loading || this.rows.length === 0) return this.#loading;
    const generation = this.#generation;
    const before = this.rows[0].number;
    this.#loading = api
      .pushes({ ...this.filter, before, limit: more })
      .then((page) => {
        if (generation !== this.#generation || this.rows[0]?.number !== before) return;
        this.rows = page.pushes.concat(this.rows);
        this.isComplete = page.pushes.length < more;
        this.#tell("change", {});
      })
      .catch((error) => this.#tell("problem", error))
      .finally(() => (this.#loading = null));
    return this.#loading;
  }

  #take(push) {
    this.#arrived.push(push);
    this.#last = Math.max(this.#last, push.number);
    this.#drawSoon();
  }

  #skip(count) {
    this.#missed += count;
    // What came before the gap is not next to what comes after it.
    this.#arrived = [];
    this.#drawSoon();
  }

  #drawSoon() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#draw();
    });
  }

  #draw() {
    const [arrived, missed] = [this.#arrived, this.#missed];
    [this.#arrived, this.#missed] = [[], 0];
    if (arrived.length + missed === 0) return;
    this.lookAtStatus();
    if (this.#isHeld) {
      this.waiting += arrived.length + missed;
    } else if (missed > 0) {
      this.rows = arrived;
      this.isComplete = false;
    } else {
      this.rows.push(...arrived);
      if (this.rows.length > most) {
        this.rows.splice(0, this.rows.length - most / 2);
        this.isComplete = false;
      }
    }
    this.#tell("change", { arrived, missed });
  }

  /** Asks for the counters, at most once a second. */
  lookAtStatus() {
    if (this.#statusTimer) return;
    this.#statusTimer = setTimeout(async () => {
      try {
        this.status = await api.status();
        setClock(this.status.now);
        this.#tell("status", this.status);
      } catch {
        // The stream says that the inbox is gone.
      }
      this.#statusTimer = 0;
    }, this.status ? 1000 : 0);
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
