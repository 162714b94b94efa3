// The reader's place in the lessons, its form in the address, the progress saved in this browser, and the list of
// lessons.

import { button, element } from "../shared/element.js";
import { glossaryList } from "../shared/glossary.js";
import { TabMemory } from "../shared/tab_memory.js";
import { counted } from "../shared/wording.js";

/**
 * `lesson` is null on the list; step 0 is the lesson's first question, and its figure's steps count from 1. `way` is
 * the whole path or the ninety-minute selection. `from` is the step, such as "oddities.3", from which a class opened a
 * lesson outside its selection, or "". `asked` is a lesson or step in the address that doesn't exist.
 * @typedef {{lesson: string | null, step: number, isPresenting: boolean, way: "all" | "class", from: string, asked: string}} Place
 */

/** The parts of a lesson that navigation needs. @typedef {{slug: string, number: number, n_steps: number, in_class: boolean}} Stop */

/** The lessons of a path, in order. @template {Stop} S @param {S[]} stops @param {Place["way"]} way */
export const stopsOf = (stops, way) => (way === "class" ? stops.filter((stop) => stop.in_class) : stops);

/**
 * The place in words, such as "Lesson 4 of 33 · step 1 of 3".
 * @param {Place} place in a lesson
 * @param {Stop[]} stops
 */
export function describePlace({ lesson, step }, stops) {
  const stop = stops.find((one) => one.slug === lesson), last = stops.at(-1);
  if (!stop || !last) return "";
  return `Lesson ${stop.number} of ${last.number} · ${step ? `step ${step} of ${stop.n_steps}` : "guess"}`;
}

/**
 * The place that an address names. A step that doesn't exist becomes the nearest one.
 * @param {string} search the query part
 * @param {Stop[]} stops
 * @param {Record<string, string>} [moved] lessons that others took over; their steps are not those of the address
 * @returns {Place}
 */
export function readPlace(search, stops, moved = {}) {
  const query = new URLSearchParams(search), given = query.get("lesson"), slug = moved[given ?? ""] ?? given;
  if (slug !== given) query.delete("step");
  const stop = stops.find((one) => one.slug === slug);
  const way = query.get("way") === "class" ? "class" : "all";
  const isPresenting = query.get("present") === "1";
  if (!stop) return { lesson: null, step: 0, isPresenting: isPresenting && slug === null, way, from: "", asked: slug ?? "" };
  const named = query.get("step") ?? "0", step = /^\d{1,6}$/.test(named) ? Number(named) : 0;
  const nearest = Math.min(step, stop.n_steps), from = query.get("from") ?? "";
  return { lesson: stop.slug, step: nearest, isPresenting, way, from: stepNamed(from, stops) ? from : "", asked: String(nearest) === named ? "" : named };
}

/** The lesson and step in a name such as "oddities.3", or null. @param {string} name @param {Stop[]} stops */
function stepNamed(name, stops) {
  const [, slug, step] = /^([\w-]+)\.(\d{1,3})$/.exec(name) ?? [], stop = stops.find((one) => one.slug === slug);
  return stop && Number(step) <= stop.n_steps ? { lesson: stop.slug, step: Number(step) } : null;
}

/**
 * The first step of a lesson. For a class, a lesson outside the selection leads back to the step it was opened from.
 * @param {string} slug @param {Place} place @param {Place | null} left the step that was shown last
 * @param {Stop[]} stops
 * @returns {Place}
 */
export function placeOf(slug, place, left, stops) {
  const isIn = (/** @type {string | null} */ one) => stopsOf(stops, place.way).some((stop) => stop.slug === one);
  const here = place.lesson === null ? left : place;
  const from = isIn(slug) || !here ? "" : isIn(here.lesson) ? `${here.lesson}.${here.step}` : here.from;
  return { ...place, lesson: slug, step: 0, from, asked: "" };
}

/**
 * The query that names a place; other parameters stay.
 * @param {Place} place
 * @param {string} search as it is now
 */
export function writePlace(place, search) {
  const query = new URLSearchParams(search);
  for (const name of ["lesson", "step", "present", "way", "from"]) query.delete(name);
  if (place.lesson !== null) {
    query.set("lesson", place.lesson);
    query.set("step", String(place.step));
  }
  if (place.isPresenting) query.set("present", "1");
  if (place.way === "class") query.set("way", "class");
  if (place.from) query.set("from", place.from);
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
  if (place.lesson === null) return direction === 1 && way.length ? { ...moved, lesson: way[0].slug, step: 0 } : place;
  const here = stops.find((stop) => stop.slug === place.lesson), step = place.step + direction;
  if (here && step >= 0 && step <= here.n_steps) return { ...moved, step };
  const from = at < 0 && stepNamed(place.from, stops);
  if (from) return { ...moved, ...from, from: "" };
  // This lesson is not in the selection: continue with the next one that is.
  const order = stops.findIndex((stop) => stop.slug === place.lesson);
  const other = at >= 0 ? way[at + direction] : way.filter((stop) => Math.sign(stops.indexOf(stop) - order) === direction).at(direction === 1 ? 0 : -1);
  if (!other) return place;
  return { ...moved, lesson: other.slug, step: direction === 1 ? 0 : other.n_steps };
}

/** @typedef {"read" | "answered"} Done */

/**
 * Whether a lesson has been read to its end: the reader came to its last step from the step before it.
 * @param {Place | null} before @param {Place} place @param {number} nSteps
 */
export const isReadToEnd = (before, place, nSteps) =>
  place.step === nSteps && before?.lesson === place.lesson && before.step === nSteps - 1;

/** Lessons that were read to the end or answered, saved in this browser. */
export class Progress {
  /** @param {Storage | undefined} store */
  constructor(store) {
    /** @type {TabMemory<Record<string, Done>>} */
    this.memory = new TabMemory(store, "tessera.learn.progress");
  }

  /** @param {string} slug @returns {Done | undefined} */
  of(slug) {
    const done = this.memory.read()[slug];
    return done === "read" || done === "answered" ? done : undefined;
  }

  forget() {
    this.memory.forget();
  }

  /** Save that a lesson was read or answered. The memory is read first, because another tab may have changed it. @param {string} slug @param {Done} done */
  mark(slug, done) {
    const all = this.memory.read();
    if (all[slug] === "answered" || all[slug] === done) return;
    this.memory.write(/** @type {Record<string, Done>} */ ({ ...all, [slug]: done }));
  }
}

/** @typedef {import("../shared/wire_types.d.ts").LessonData} Lesson */
/** @typedef {{open: (slug: string) => void, start: (way: "all" | "class", isPresenting: boolean) => void, leave: () => void, resetAll: () => void}} Callbacks */

const SIGNS = { read: ["·", "seen"], answered: ["✓", "done"] };

/**
 * @param {Lesson[]} lessons
 * @param {Progress} progress
 * @param {{asked: string, isPresenting: boolean, left: string | null, app: string}} place `left` is the lesson that one comes from
 * @param {Callbacks} callbacks
 */
export function makeList(lessons, progress, { asked, isPresenting, left, app }, { open, start, leave, resetAll }) {
  const root = element("section", "list");
  root.setAttribute("aria-label", "All lessons");
  if (asked) root.append(element("p", "problem", `There is no lesson “${asked.slice(0, 60)}”. Choose one of these.`));
  const starts = element("p", "starts");
  const own = button("Start on your own", "From the first lesson on", () => start("all", false));
  own.className = "primary";
  const inClass = lessons.filter((lesson) => lesson.in_class), nInClass = inClass.length;
  const nMinutes = inClass.reduce((sum, { minutes }) => sum + minutes, 0);
  starts.append(own, button("Present to a class", `A selection for ${nMinutes} minutes, with the examples of all lessons: ${counted(nInClass, "lesson")}`, () => start("class", true)));
  const reset = button("Reset all", "Restore the examples of all lessons, and forget guesses, votes and what is done", () => {
    resetAll();
    reset.textContent = "All lessons are reset";
  });
  starts.append(reset);
  if (!isPresenting) starts.append(button("Print questions", "A sheet with the first question of each lesson for a class", () => print()));
  const build = element("a", "", "Build your own tokenizer");
  build.href = `${app}/build`;
  if (!isPresenting) starts.append(build);
  if (isPresenting) starts.append(button("Stop presenting", "Leave the blank screen", leave));
  const nDone = lessons.filter((lesson) => progress.of(lesson.slug) === "answered").length;
  const nSeen = lessons.filter((lesson) => progress.of(lesson.slug) === "read").length;
  starts.append(element("span", "soft", nDone + nSeen ? `✓ ${nDone} of ${lessons.length} done${nSeen ? ` · ${nSeen} seen` : ""}` : `${counted(nInClass, "lesson")} fill ${nMinutes} minutes with a class`));
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
    card.append(element("span", "claim", lesson.guess.asks), element("span", "time", `${lesson.minutes} min${lesson.time && ` · lecture ${lesson.time}`}`));
    card.addEventListener("click", () => open(lesson.slug));
    const item = element("li");
    item.append(card);
    cards.append(item);
  }
  if (isPresenting) root.append(element("h1", "unseen", "All lessons")); // while presenting, the page's own heading is hidden
  const way = element("section", "whole-way");
  way.setAttribute("aria-label", "From text to numbers and back");
  root.append(starts);
  if (!isPresenting) root.append(way);
  root.append(cards);
  if (!isPresenting) root.append(makeSheet(inClass, `${location.origin}${app}/build`));
  if (!isPresenting) root.append(element("h2", "", "Glossary"), glossaryList());
  return root;
}

/** A sheet to print: the lessons for a class with their first question, and lines to write on. @param {Lesson[]} lessons @param {string} homework an address */
function makeSheet(lessons, homework) {
  const sheet = element("section", "sheet"), list = element("ol");
  for (const { number, title, guess } of lessons) {
    const item = element("li"), options = element("p", "options");
    options.append(...guess.options.map((option) => element("span", "", `☐ ${option}`)));
    item.append(element("b", "", `${number} · ${title}`), element("p", "", guess.asks), options, element("p", "line", "What the figure shows:"));
    list.append(item);
  }
  sheet.append(element("h2", "", "Tokenization: guess first, then look"), element("p", "line", "Name:"), list, element("p", "", `Homework: build your own tokenizer at ${homework}`));
  return sheet;
}
