// Settling: act once typing has stopped, or as soon as the field is left, so that a link pressed next finds it done.

export class Settling {
  /**
   * @param {HTMLElement} root whose fields are typed into
   * @param {AbortSignal} signal ends it
   * @param {number} ms of rest after the last change
   * @param {() => void} act
   */
  constructor(root, signal, ms, act) {
    this.ms = ms;
    this.act = act;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    root.addEventListener("focusout", () => this.timer !== undefined && this.end(), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  /** Something changed. */
  touch() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), this.ms);
  }

  end() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.act();
  }
}
