// The journey: a text becomes bytes, pretokens, tokens, ids and rows of a table, and ids become text again. One
// picture whose time runs from 0 to 10: five stages there, and the same way back.

import { boxText } from "../boxes.js";
import { button, element } from "../../shared/element.js";
import { count, counted } from "../../shared/wording.js";

/**
 * @typedef {{characters: {text: string, n_bytes: number}[], bytes: number[], pretokens: number[], merges: number[],
 *   tokens: {id: number, n_bytes: number, row: number[]}[], n_rows: number, width: number}} Data
 */
/** Where each step of the lesson ends. */
const ENDS = [0, 1, 2, 3, 4, 5, 10];
const BACK = 10, STAGE_MS = 1_500;
/** Heights in units of a cell's height. */
const BYTES_AT = 1.15, IDS_AT = 2.3, ROWS_AT = 3.25, NUMBER_HEIGHT = 0.26, NUMBER_HEIGHT_ON_A_PHONE = 0.14, ABOUT_HEIGHT = 0.6;
/** The space after a pretoken, in cells. */
const GAP = 0.45;
/** How much is seen of what the way back has passed. */
const DIM = 0.45;

/** The stage that a moment shows, from 0 to 5: the second half of the time runs backwards. @param {number} time */
export const stageOf = (time) => (time <= 5 ? time : BACK - time);

/**
 * The first byte of each group, once the first `nMerges` merges are done.
 * @param {Data} data @param {number} nMerges
 */
export function startsAfter({ bytes, merges }, nMerges) {
  const gone = new Set(merges.slice(0, nMerges));
  return bytes.flatMap((_, at) => (gone.has(at) ? [] : [at]));
}

/**
 * The line of each byte. A pretoken stays in one line, unless it is longer.
 * @param {number[]} pretokens @param {number} perLine
 */
function linesOf(pretokens, perLine) {
  let right = 0, line = 0;
  return pretokens.flatMap((n) => {
    if (right > 0 && right + n > perLine) [right, line] = [0, line + 1];
    const made = Array.from({ length: n }, () => {
      if (right + 1 > perLine) [right, line] = [0, line + 1];
      right += 1;
      return line;
    });
    right += GAP;
    return made;
  });
}

/** How much of a part of the time has passed, from 0 to 1, eased. @param {number} stage @param {number} from */
const passed = (stage, from) => {
  const part = Math.min(Math.max(stage - from, 0), 1);
  return part * part * (3 - 2 * part);
};

/** @type {import("./table.js").Mount} */
export default function mount(root, { signal }) {
  const stage = element("div", "way"), bar = element("div", "player"), says = element("p", "summary");
  const slider = element("input");
  slider.type = "range";
  slider.min = "0";
  slider.max = String(BACK);
  slider.step = "0.01";
  slider.setAttribute("aria-label", "Time: from text to rows and back");
  const play = button("Play", "Play the whole way, or pause", () => (frame ? pause() : run(time >= BACK ? 0 : time, BACK)));
  play.classList.add("play");
  bar.append(play, slider, says);
  stage.setAttribute("role", "img");
  root.append(stage, bar);
  /** @type {Data | null} */
  let data = null;
  /** @type {ReturnType<typeof makeParts> | null} */
  let parts = null;
  let time = 0, frame = 0, last = 0;
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  const draw = () => {
    if (!data || !parts) return;
    place(stage, data, parts, time);
    slider.value = String(time);
    const at = Math.round(stageOf(time));
    slider.setAttribute("aria-valuetext", `${["text", "bytes", "pretokens", "tokens", "ids", "rows"][at]}${time > 5 ? ", on the way back" : ""}`);
  };
  const pause = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    play.textContent = "Play";
  };
  /** Let the time run. @param {number} from @param {number} to */
  const run = (from, to) => {
    pause();
    time = from;
    let before = performance.now();
    play.textContent = "Pause";
    const tick = (/** @type {number} */ now) => {
      time = Math.min(to, time + Math.max(now - before, 0) / (time > 5 ? STAGE_MS / 2 : STAGE_MS));
      before = now;
      draw();
      if (time >= to) pause();
      else frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
  };
  slider.addEventListener("input", () => {
    pause();
    time = Number(slider.value);
    draw();
  }, { signal });
  signal.addEventListener("abort", pause);
  return {
    /** @param {number} step @param {Data} given */
    show(step, given) {
      const isNew = given !== data;
      data = given;
      parts = makeParts(stage, given);
      says.replaceChildren(
        ...[counted(given.characters.length, "character"), counted(given.bytes.length, "byte"), counted(given.tokens.length, "id")].map((text, n) =>
          element("span", step >= [0, 1, 4][n] ? "" : "later", text)),
      );
      stage.setAttribute("aria-label", `${counted(given.characters.length, "character")}, ${counted(given.bytes.length, "byte")}, ${counted(given.tokens.length, "token")}: ids ${given.tokens.map(({ id }) => id).join(", ")}`);
      const end = ENDS[step] ?? BACK, begin = ENDS[step - 1] ?? 0;
      if (step !== last && !still.matches) run(step === last + 1 ? begin : Math.max(0, end - 1), end);
      else if (step !== last || (isNew && time > end)) {
        pause();
        time = end;
      }
      last = step;
      draw();
    },
  };
}

/** @param {HTMLElement} stage @param {Data} data */
function makeParts(stage, { characters, bytes, tokens, n_rows, width }) {
  const letters = characters.map(({ text }) => element("span", "letter", boxText(text)));
  const cells = bytes.map((byte) => element("span", "byte", String(byte)));
  const boxes = tokens.map((_, n) => element("span", `token t c${n % 4}`));
  const ids = tokens.map(({ id }) => element("span", "id", String(id)));
  const rows = tokens.map(({ id, row }) => {
    const made = element("span", "row");
    made.append(...row.map((number) => {
      const cell = element("i", number < 0 ? "below" : "above");
      cell.style.setProperty("--much", String(Math.min(1, Math.abs(number) / 0.04)));
      return cell;
    }));
    made.dataset.spot = `row ${count(id)}: ${row.slice(0, 4).join(", ")}, …`;
    return made;
  });
  const about = element("span", "about", tokens.length === 0 ? "" : `rows of ${count(n_rows)} × ${count(width)}; ${tokens[0].row.length} of each are drawn`);
  stage.replaceChildren(...boxes, ...letters, ...cells, ...ids, ...rows, about);
  return { letters, cells, boxes, ids, rows, about };
}

/** @param {HTMLElement} one @param {number} x @param {number} y @param {number} width @param {number} height @param {number} seen */
function put(one, x, y, width, height, seen) {
  one.style.transform = `translate(${x}px, ${y}px)`;
  one.style.width = `${width}px`;
  one.style.height = `${height}px`;
  one.style.opacity = String(seen);
}

/** Draw a moment. @param {HTMLElement} stage @param {Data} data @param {ReturnType<typeof makeParts>} parts @param {number} time */
function place(stage, data, parts, time) {
  const at = stageOf(time), isBack = time > 5, { bytes, pretokens, merges, tokens, characters } = data;
  const lit = (/** @type {number} */ part) => (isBack ? DIM + (1 - DIM) * part : part); // on the way back, all stays in sight
  const toBytes = passed(at, 0), toPretokens = isBack ? 1 : passed(at, 1), toIds = isBack ? 1 : passed(at, 3), toRows = isBack ? 1 : passed(at, 4);
  const merging = isBack ? 1 : Math.min(Math.max(at - 2, 0), 1), nMerges = Math.round(merging * merges.length);
  const starts = new Set(startsAfter(data, nMerges));
  const ends = new Set(pretokens.map((_, n) => pretokens.slice(0, n + 1).reduce((sum, one) => sum + one, 0)));
  // The widest layout decides the size of a cell, so that nothing jumps.
  const { clientWidth, clientHeight } = stage, isPhone = clientWidth < 700, least = isPhone ? 26 : 40;
  const numberHeight = isPhone ? NUMBER_HEIGHT_ON_A_PHONE : NUMBER_HEIGHT, rowHeight = (tokens[0]?.row.length ?? 0) * numberHeight, lineHeight = ROWS_AT + rowHeight + ABOUT_HEIGHT;
  const nUnits = bytes.length + GAP * pretokens.length;
  const perLine = Math.max(4, Math.min(nUnits, Math.floor(clientWidth / least))), lines = linesOf(pretokens, perLine);
  const cell = Math.min(clientWidth / perLine, clientHeight / (((lines.at(-1) ?? 0) + 1) * lineHeight), 64), tall = cell * 0.86;
  /** @type {{x: number, y: number}[]} */
  const spots = [];
  let right = 0, line = 0;
  for (const n of pretokens) {
    for (let k = 0; k < n; k++) {
      if (lines[spots.length] !== line) [right, line] = [0, line + 1];
      spots.push({ x: right, y: line * lineHeight * cell });
      right += cell;
    }
    right += GAP * cell * toPretokens;
  }
  let byte = 0;
  for (const [n, { n_bytes }] of characters.entries()) {
    const { x, y } = spots[byte], until = spots[byte + n_bytes - 1];
    put(parts.letters[n], x, y, until.y === y ? until.x + cell - x : cell, tall, isBack ? DIM + (1 - DIM) * (1 - passed(at, 0)) : 1);
    byte += n_bytes;
  }
  for (const [n, { x, y }] of spots.entries()) {
    const isStart = starts.has(n), isEnd = starts.has(n + 1) || n + 1 === bytes.length || ends.has(n + 1);
    put(parts.cells[n], x + (isStart ? 2 : 0), y + BYTES_AT * cell, cell - (isStart ? 2 : 0) - (isEnd ? 2 : 0), tall, lit(toBytes * (isBack ? 1 - passed(at, 3) * 0.6 : 1)));
    parts.cells[n].classList.toggle("joined-left", !isStart);
    parts.cells[n].classList.toggle("joined-right", !isEnd);
  }
  byte = 0;
  const isMerged = nMerges === merges.length && merging > 0.95 ? 1 : 0;
  for (const [n, { n_bytes }] of tokens.entries()) {
    const { x, y } = spots[byte], until = spots[byte + n_bytes - 1], wide = until.y === y ? until.x + cell - x : cell;
    put(parts.boxes[n], x + 2, y + BYTES_AT * cell, wide - 4, tall, isMerged * (isBack ? 0.35 + 0.2 * passed(at, 2) : 0.55));
    put(parts.ids[n], x + wide / 2 - 1.4 * cell, y + (BYTES_AT + (IDS_AT - BYTES_AT) * toIds) * cell, 2.8 * cell, tall, lit(passed(at, 3)));
    put(parts.rows[n], x + wide / 2 - Math.min(wide * 0.4, 0.55 * cell), y + (IDS_AT + (ROWS_AT - IDS_AT) * toRows) * cell, Math.min(wide * 0.8, 1.1 * cell), rowHeight * cell, lit(passed(at, 4)));
    byte += n_bytes;
  }
  put(parts.about, 0, (line * lineHeight + ROWS_AT + rowHeight) * cell, clientWidth, ABOUT_HEIGHT * cell, toRows);
  stage.style.setProperty("--cell", `${cell}px`);
}
