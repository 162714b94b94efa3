// A player: buttons, keys and a slider that step through frames, and play them one after another.

import { dataOf, element, find, showIcon } from "./element.js";

/** @typedef {"first" | "back" | "play" | "on" | "last"} Action */
/** @type {Record<string, Action>} */
const ACTION_OF_KEY = { Home: "first", End: "last", ArrowLeft: "back", ArrowRight: "on", " ": "play" };

export class Player {
  /**
   * @param {HTMLElement} root has a slider, a button of the class `play`, and buttons with an `Action` as `data-go`
   * @param {AbortSignal} signal ends its listeners, and playing
   * @param {(frame: number) => void} onFrame draws a frame
   * @param {number} frameMs how long a frame is shown while playing
   */
  constructor(root, signal, onFrame, frameMs = 900) {
    this.root = root;
    this.onFrame = onFrame;
    this.frameMs = frameMs;
    this.frame = this.nFrames = 0;
    this.slider = find(root, "input", HTMLInputElement);
    this.playButton = find(root, ".play");
    const onSlide = () => {
      this.pause();
      this.go(Number(this.slider.value));
    };
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      const action = ACTION_OF_KEY[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === " " && event.target instanceof Element && event.target.closest("button:not(.play)")) return;
      event.preventDefault();
      this.act(action);
    };
    this.slider.addEventListener("input", onSlide, { signal });
    root.addEventListener("click", (event) => this.act(/** @type {Action | undefined} */ (dataOf(event, "go"))), { signal });
    root.addEventListener("keydown", onKey, { signal });
    signal.addEventListener("abort", () => this.pause());
  }

  /** Show one of several frames, and stop playing. @param {number} nFrames @param {number} frame */
  show(nFrames, frame) {
    this.nFrames = nFrames;
    this.pause();
    this.slider.max = String(Math.max(nFrames - 1, 0));
    if (nFrames) this.place(frame);
  }

  /** @param {Action | undefined} action */
  act(action) {
    if (!action) return;
    if (action === "play") {
      if (this.timer) this.pause();
      else this.play();
      return;
    }
    this.pause();
    this.go({ first: 0, back: this.frame - 1, on: this.frame + 1, last: this.nFrames - 1 }[action]);
  }

  play() {
    if (this.frame === this.nFrames - 1) this.go(0);
    this.timer = setInterval(() => {
      this.go(this.frame + 1);
      if (this.frame === this.nFrames - 1) this.pause();
    }, this.frameMs);
    showIcon(this.playButton, "pause", "Pause");
  }

  pause() {
    clearInterval(this.timer);
    this.timer = undefined;
    showIcon(this.playButton, "play", "Play");
  }

  /** Go to a frame because the visitor moved or the player plays. @param {number} frame */
  go(frame) {
    this.place(frame);
  }

  /** Show a frame, or the nearest one that exists. @param {number} frame */
  place(frame) {
    this.frame = Math.min(Math.max(frame, 0), this.nFrames - 1);
    this.slider.value = String(this.frame);
    this.onFrame(this.frame);
  }
}

/** The elements of a player with a play button and a slider. @param {string} label what the slider counts */
export function makePlayerBar(label) {
  const bar = element("div", "player"), slider = element("input"), play = element("button", "play");
  play.type = "button";
  play.title = "Play or pause (space)";
  play.dataset.go = "play";
  slider.type = "range";
  slider.min = slider.value = "0";
  slider.setAttribute("aria-label", label);
  bar.append(play, slider);
  return bar;
}
