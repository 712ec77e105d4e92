// Follows the event stream while the page is seen. A hidden page reads nothing; the one who listens then catches up.
import { api } from "./api.js";

export class Stream extends EventTarget {
  #source = null;
  #timer = 0;

  /** Follows from after a push on. Pushes that fit the filter come as `push`, at most `most` of each update. */
  start(filter, number) {
    this.stop();
    // No number of an event of a connection is so high: only what comes is sent.
    const last = `${number}-${Number.MAX_SAFE_INTEGER}`;
    const source = api.events({ ...filter, view: "summary", most: 100, last });
    this.#source = source;
    this.#say("connecting");
    source.onopen = () => this.#say("live");
    // An inbox that was started again counts from 1: the browser's own try would go on after the last push of the old one.
    source.onerror = () => {
      this.stop();
      this.#say("connecting");
      this.#timer = setTimeout(() => this.dispatchEvent(new CustomEvent("lost")), 1000);
    };
    for (const name of ["push", "counts", "connection", "goaway", "changed"]) {
      source.addEventListener(name, (event) => this.#dispatch(name, event.data));
    }
  }

  stop() {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  #say(state) {
    this.dispatchEvent(new CustomEvent("state", { detail: state }));
  }

  #dispatch(name, data) {
    let detail;
    try {
      detail = JSON.parse(data);
    } catch {
      return;
    }
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
