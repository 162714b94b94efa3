// The reader's place in the lessons, its form in the address, the progress saved in this browser, and the list of
// lessons.

import { button, element } from "../shared/element.js";
import { glossaryList } from "../shared/glossary.js";
import { TabMemory } from "../shared/tab_memory.js";
import { counted } from "../shared/wording.js";

/**
 * `lesson` is null on the list; `step` counts from 1. `way` is the whole path or the ninety-minute selection. `asked`
 * is a lesson or step in the address that doesn't exist.
 * @typedef {{lesson: string | null, step: number, isPresenting: boolean, way: "all" | "class", asked: string}} Place
 */

/** The parts of a lesson that navigation needs. @typedef {{slug: string, number: number, n_steps: number, in_class: boolean}} Stop */

/** The lessons of a path, in order. @template {Stop} S @param {S[]} stops @param {Place["way"]} way */
export const stopsOf = (stops, way) => (way === "class" ? stops.filter((stop) => stop.in_class) : stops);

/**
 * The place in words, such as "Lesson 4 of 26 · step 1 of 3". The selection numbers its lessons separately.
 * @param {Place} place in a lesson
 * @param {Stop[]} stops
 */
export function describePlace({ lesson, step, way }, stops) {
  const stop = stops.find((one) => one.slug === lesson), last = stops.at(-1);
  if (!stop || !last) return "";
  const own = stopsOf(stops, way), order = own.indexOf(stop) + 1;
  const which = way === "all" ? `Lesson ${stop.number} of ${last.number}` : order ? `Lesson ${order} of ${own.length}` : `Extra lesson ${stop.number}`;
  return `${which} · step ${step} of ${stop.n_steps}`;
}

/**
 * The place that an address names. A step that doesn't exist becomes the nearest one.
 * @param {string} search the query part
 * @param {Stop[]} stops
 * @returns {Place}
 */
export function readPlace(search, stops) {
  const query = new URLSearchParams(search), slug = query.get("lesson");
  const stop = stops.find((one) => one.slug === slug);
  const way = query.get("way") === "class" ? "class" : "all";
  const isPresenting = query.get("present") === "1";
  if (!stop) return { lesson: null, step: 1, isPresenting: isPresenting && slug === null, way, asked: slug ?? "" };
  const named = query.get("step") ?? "1", step = /^\d{1,6}$/.test(named) ? Number(named) : 1;
  const nearest = Math.min(Math.max(step, 1), stop.n_steps);
  return { lesson: stop.slug, step: nearest, isPresenting, way, asked: String(nearest) === named ? "" : named };
}

/**
 * The query that names a place; other parameters stay.
 * @param {Place} place
 * @param {string} search as it is now
 */
export function writePlace(place, search) {
  const query = new URLSearchParams(search);
  for (const name of ["lesson", "step", "present", "way"]) query.delete(name);
  if (place.lesson !== null) {
    query.set("lesson", place.lesson);
    query.set("step", String(place.step));
  }
  if (place.isPresenting) query.set("present", "1");
  if (place.way === "class") query.set("way", "class");
  const written = query.toString();
  return written && `?${written}`;
}

/**
 * The place one step forward (1) or back (-1), across lessons. From the list, forward leads to the first lesson; at
 * both ends of the path the place stays.
 * @param {Place} place
 * @param {1 | -1} direction
 * @param {Stop[]} stops
 * @returns {Place}
 */
export function walk(place, direction, stops) {
  const way = stopsOf(stops, place.way), at = way.findIndex((stop) => stop.slug === place.lesson);
  const moved = { ...place, asked: "" };
  if (place.lesson === null) return direction === 1 && way.length ? { ...moved, lesson: way[0].slug, step: 1 } : place;
  const here = stops.find((stop) => stop.slug === place.lesson), step = place.step + direction;
  if (here && step >= 1 && step <= here.n_steps) return { ...moved, step };
  // This lesson is not in the selection: continue with the next one that is.
  const order = stops.findIndex((stop) => stop.slug === place.lesson);
  const other = at >= 0 ? way[at + direction] : way.filter((stop) => Math.sign(stops.indexOf(stop) - order) === direction).at(direction === 1 ? 0 : -1);
  if (!other) return place;
  return { ...moved, lesson: other.slug, step: direction === 1 ? 1 : other.n_steps };
}

/** @typedef {"read" | "answered"} Done */

/**
 * Whether a lesson has been read to its end: the reader came to its last step from the step before it.
 * @param {Place | null} before @param {Place} place @param {number} nSteps
 */
export const isReadToEnd = (before, place, nSteps) =>
  place.step === nSteps && (nSteps === 1 || (before?.lesson === place.lesson && before.step === nSteps - 1));

/** Lessons that were read to the end or answered, saved in this browser. */
export class Progress {
  /** @param {Storage} store */
  constructor(store) {
    /** @type {TabMemory<Record<string, Done>>} */
    this.memory = new TabMemory(store, "tessera.learn.progress");
  }

  /** @param {string} slug @returns {Done | undefined} */
  of(slug) {
    const done = this.memory.read()[slug];
    return done === "read" || done === "answered" ? done : undefined;
  }

  /** Save that a lesson was read or answered. The memory is read first, because another tab may have changed it. @param {string} slug @param {Done} done */
  mark(slug, done) {
    const all = this.memory.read();
    if (all[slug] === "answered" || all[slug] === done) return;
    this.memory.write(/** @type {Record<string, Done>} */ ({ ...all, [slug]: done }));
  }
}

/** @typedef {import("../shared/wire_types.d.ts").LessonData} Lesson */
/** @typedef {{open: (slug: string) => void, start: (way: "all" | "class", isPresenting: boolean) => void, leave: () => void}} Callbacks */

const SIGNS = { read: ["·", "seen"], answered: ["✓", "done"] };

/**
 * @param {Lesson[]} lessons
 * @param {Progress} progress
 * @param {{asked: string, isPresenting: boolean, left: string | null}} place `left` is the lesson that one comes from
 * @param {Callbacks} callbacks
 */
export function makeList(lessons, progress, { asked, isPresenting, left }, { open, start, leave }) {
  const root = element("section", "list");
  root.setAttribute("aria-label", "All lessons");
  if (asked) root.append(element("p", "problem", `There is no lesson “${asked.slice(0, 60)}”. Choose one of these.`));
  const starts = element("p", "starts");
  const own = button("Start on your own", "From the first lesson on", () => start("all", false));
  own.className = "primary";
  const nInClass = lessons.filter((lesson) => lesson.in_class).length;
  starts.append(own, button("Present to a class", `A selection for ninety minutes: ${counted(nInClass, "lesson")}`, () => start("class", true)));
  if (isPresenting) starts.append(button("Stop presenting", "Leave the blank screen", leave));
  const nDone = lessons.filter((lesson) => progress.of(lesson.slug) === "answered").length;
  const nSeen = lessons.filter((lesson) => progress.of(lesson.slug) === "read").length;
  starts.append(element("span", "soft", nDone + nSeen ? `✓ ${nDone} of ${lessons.length} done${nSeen ? ` · ${nSeen} seen` : ""}` : `${counted(nInClass, "lesson")} fill ninety minutes with a class`));
  if (!isPresenting) starts.append(element("span", "soft", "Times are those of Karpathy’s lecture “Let’s build the GPT Tokenizer”"));
  const cards = element("ol", "cards");
  for (const lesson of lessons) {
    const card = element("button", "card");
    card.type = "button";
    card.dataset.slug = lesson.slug;
    const done = progress.of(lesson.slug);
    const title = element("b", "", lesson.title);
    const marks = [...(lesson.in_class ? ["class"] : []), ...(lesson.slug === left ? ["you are here"] : [])];
    if (marks.length) title.append(element("span", "marks", ` · ${marks.join(" · ")}`));
    if (lesson.slug === left) card.setAttribute("aria-current", "step");
    card.append(element("span", "number", String(lesson.number)), title);
    if (done) {
      const sign = element("span", `done ${done}`, SIGNS[done][0]);
      sign.setAttribute("role", "img");
      sign.setAttribute("aria-label", SIGNS[done][1]);
      card.append(sign);
    }
    card.append(element("span", "claim", lesson.claim), element("span", "time", lesson.time ? `lecture ${lesson.time}` : "not in the lecture"));
    card.addEventListener("click", () => open(lesson.slug));
    const item = element("li");
    item.append(card);
    cards.append(item);
  }
  if (isPresenting) root.append(element("h1", "unseen", "All lessons")); // while presenting, the page's own heading is hidden
  root.append(starts, cards);
  if (!isPresenting) root.append(element("h2", "", "Glossary"), glossaryList());
  return root;
}
