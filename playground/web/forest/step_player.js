// Step player: the encoder's merges one at a time, with every pair's rank and why one of them is next.

const FRAME_MS = 900;
const STRIP_PIECES = 12;

export class StepPlayer {
  /** `onSettle()` runs when the player has stood still for a moment. */
  constructor(root, onSettle) {
    Object.assign(this, { root, onSettle, frame: 0, timer: null });
    this.slider = root.querySelector("input");
    this.slider.addEventListener("input", () => (this.pause(), this.go(Number(this.slider.value))));
    root.addEventListener("click", (event) => {
      const action = event.target.closest("[data-go]")?.dataset.go;
      if (action) this.act(action);
    });
    root.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const keys = { Home: "first", End: "last", ArrowLeft: "back", ArrowRight: "on", " ": "play" };
      const action = keys[event.key];
      if (!action || (event.key === " " && event.target.closest("button:not(.play)"))) return;
      event.preventDefault();
      this.act(action);
    });
  }

  /** Frames: for each pretoken one before every merge, and one when no pair is left. */
  show(kinds, pretokens, step) {
    this.kinds = kinds;
    this.pretokens = pretokens;
    this.firstFrame = [];
    this.firstMerge = [];
    this.nFrames = 0;
    this.nMerges = 0;
    for (const kind of pretokens) {
      this.firstFrame.push(this.nFrames);
      this.firstMerge.push(this.nMerges);
      this.nFrames += kinds[kind].steps.length + 1;
      this.nMerges += kinds[kind].steps.length;
    }
    this.pause();
    this.slider.max = Math.max(this.nFrames - 1, 0);
    this.root.hidden = this.nFrames === 0;
    if (this.nFrames) this.go(step, true);
  }

  act(action) {
    if (action === "play") return this.timer ? this.pause() : this.play();
    this.pause();
    const to = { first: 0, back: this.frame - 1, on: this.frame + 1, last: this.nFrames - 1 };
    this.go(to[action]);
  }

  play() {
    if (this.frame === this.nFrames - 1) this.go(0);
    this.timer = setInterval(() => {
      if (!this.root.isConnected) return this.pause();
      this.go(this.frame + 1);
      if (this.frame === this.nFrames - 1) this.pause();
    }, FRAME_MS);
    this.root.querySelector(".play").textContent = "Pause";
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.root.querySelector(".play").textContent = "Play";
  }

  go(frame, isGiven = false) {
    this.frame = Math.min(Math.max(frame, 0), this.nFrames - 1);
    this.slider.value = this.frame;
    this.draw();
    clearTimeout(this.settling);
    this.isSettling = !isGiven;
    if (isGiven) return;
    this.settling = setTimeout(() => {
      if (this.timer) return;
      this.isSettling = false;
      this.onSettle();
    }, 500);
  }

  /** Stand still for good. */
  stop() {
    this.pause();
    clearTimeout(this.settling);
  }

  // ---- drawing

  draw() {
    let at = this.firstFrame.length - 1;
    while (this.firstFrame[at] > this.frame) at -= 1;
    const kind = this.kinds[this.pretokens[at]], nDone = this.frame - this.firstFrame[at];
    const { parts, pairRanks } = replay(kind, nDone);
    const next = kind.steps[nDone];
    this.drawStrip(at);
    this.drawParts(kind, parts, pairRanks, next, nDone ? kind.steps[nDone - 1][0] : -1);
    const nMerged = this.firstMerge[at] + nDone;
    this.root.querySelector(".where").textContent = `${nMerged.toLocaleString("en")} of ${this.nMerges.toLocaleString("en")} merges done`;
    this.root.querySelector(".why").textContent = this.explain(kind, parts, pairRanks, next, at);
  }

  drawStrip(at) {
    const first = Math.max(0, Math.min(at - STRIP_PIECES / 2, this.pretokens.length - STRIP_PIECES));
    const seen = this.pretokens.slice(first, first + STRIP_PIECES);
    const pieces = seen.map((kind, i) => {
      const state = first + i < at ? "done" : first + i === at ? "now" : "later";
      return element("span", `piece ${state}`, shorten(this.kinds[kind].text, 40));
    });
    const nBefore = first, nAfter = this.pretokens.length - first - seen.length;
    if (nBefore) pieces.unshift(element("span", "more", `${nBefore} before`));
    if (nAfter) pieces.push(element("span", "more", `${nAfter} more`));
    this.root.querySelector(".strip").replaceChildren(...pieces);
  }

  drawParts(kind, parts, pairRanks, next, made) {
    const shown = [];
    parts.forEach((part, i) => {
      const isMerging = next && (i === next[0] || i === next[0] + 1);
      const chip = element("span", `part${isMerging ? " merging" : ""}${i === made ? " made" : ""}`, part);
      if (!next && !kind.is_whole) chip.append(element("small", "", `id ${kind.ids[i]}`));
      shown.push(chip);
      if (i === parts.length - 1) return;
      const rank = pairRanks[i], isChosen = next && i === next[0];
      const pair = element("span", `pair${rank === null ? "" : " possible"}${isChosen ? " chosen" : ""}`, rank === null ? "–" : String(rank));
      pair.title = rank === null ? "these two together are not in the vocabulary" : `merging these two has rank ${rank}`;
      shown.push(pair);
    });
    this.root.querySelector(".parts").replaceChildren(...shown);
  }

  explain(kind, parts, pairRanks, next, at) {
    const cut = this.pretokens.length > 1 ? " Nothing merges across a dashed line: there the split pattern cut the text." : "";
    if (next) {
      const ranks = pairRanks.filter((rank) => rank !== null);
      const isTie = ranks.filter((rank) => rank === next[1]).length > 1;
      const pair = `“${parts[next[0]]}” + “${parts[next[0] + 1]}”`;
      const reason = ranks.length === 1
        ? `It is the only pair in the vocabulary, at rank ${next[1]}.`
        : `Of ${pairRanks.length} pairs ${ranks.length} are in the vocabulary, and ${next[1]} is the lowest rank${isTie ? "; of equal ranks the leftmost" : ""}.`;
      return `Next: ${pair}. ${reason}${cut}`;
    }
    const one = kind.is_whole
      ? `“${kind.text}” is in the vocabulary as a whole, and the encoder takes it without merging: id ${kind.ids[0]}.`
      : parts.length === 1
        ? `“${kind.text}” is one token: id ${kind.ids[0]}.`
        : `No pair left is in the vocabulary: “${kind.text}” is ${parts.length} tokens.`;
    return at === this.pretokens.length - 1 ? `${one} The text is encoded.` : `${one} The next pretoken follows.${cut}`;
  }
}

/** The parts of a pretoken and the ranks of its pairs after some merges. */
function replay(kind, nSteps) {
  const parts = [...kind.leaves], pairRanks = [...kind.pair_ranks];
  for (const [position, , leftRank, rightRank, text] of kind.steps.slice(0, nSteps)) {
    parts.splice(position, 2, text);
    pairRanks.splice(position, 1);
    if (position > 0) pairRanks[position - 1] = leftRank;
    if (position < pairRanks.length) pairRanks[position] = rightRank;
  }
  return { parts, pairRanks };
}

export function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

const shorten = (text, limit) => (text.length > limit ? `${text.slice(0, limit)}…` : text);
