// List: the path with what is done, and two starts, for a class and for oneself; in a lesson it is the overview.

import { button, element } from "../shared/element.js";
import { counted } from "../shared/numbers.js";

/** @typedef {import("../shared/wire_types.d.ts").LessonData} Lesson */
/** @typedef {{open: (slug: string) => void, start: (way: "all" | "class", isPresenting: boolean) => void, leave: () => void}} Heard */

const SIGNS = { read: ["·", "seen"], answered: ["✓", "done"] };

/**
 * @param {Lesson[]} lessons
 * @param {import("./progress.js").Progress} progress
 * @param {{asked: string, isPresenting: boolean, left: string | null}} place `left` is the lesson that one comes from
 * @param {Heard} heard
 */
export function makeList(lessons, progress, { asked, isPresenting, left }, { open, start, leave }) {
  const root = element("section", "list");
  root.setAttribute("aria-label", "All lessons");
  if (asked) root.append(element("p", "problem", `There is no lesson “${asked.slice(0, 60)}”. Choose one of these.`));
  const starts = element("p", "starts");
  const own = button("Start for yourself", "From the first lesson on", () => start("all", false));
  own.className = "primary";
  const nInClass = lessons.filter((lesson) => lesson.in_class).length;
  starts.append(own, button("Present to a class", `The selection for ninety minutes: ${counted(nInClass, "lesson")}`, () => start("class", true)));
  if (isPresenting) starts.append(button("Stop presenting", "Show the app again", leave));
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
  if (isPresenting) root.append(element("h1", "unseen", "All lessons")); // the page's own is hidden then
  root.append(starts, cards);
  return root;
}
