// Place: where one is on the path, and how the address says it. Nothing of the page is here.

/**
 * `lesson` is null on the list; `step` counts from 1. `way` is the whole path or the ninety-minute selection.
 * `asked` is what the address named in vain.
 * @typedef {{lesson: string | null, step: number, isPresenting: boolean, way: "all" | "class", asked: string}} Place
 */

/** What of a lesson the walk needs. @typedef {{slug: string, number: number, n_steps: number, in_class: boolean}} Stop */

/** The lessons of a way, in order. @template {Stop} S @param {S[]} stops @param {Place["way"]} way */
export const stopsOf = (stops, way) => (way === "class" ? stops.filter((stop) => stop.in_class) : stops);

/**
 * Which lesson this is of its way, and which step: the selection has a count of its own.
 * @param {Place} place in a lesson
 * @param {Stop[]} stops
 */
export function tellPlace({ lesson, step, way }, stops) {
  const stop = stops.find((one) => one.slug === lesson), last = stops.at(-1);
  if (!stop || !last) return "";
  const own = stopsOf(stops, way), order = own.indexOf(stop) + 1;
  const which = way === "all" ? `Lesson ${stop.number} of ${last.number}` : order ? `Lesson ${order} of ${own.length}` : `Extra lesson ${stop.number}`;
  return `${which} · step ${step} of ${stop.n_steps}`;
}

/**
 * The place that an address names. A step that is not there is the nearest one.
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
 * The query part that names a place; what else stood in it stays.
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
 * One step on (1) or back (-1): through the steps of a lesson, then to the next or to the end of the one before.
 * From the list it goes to the first lesson; at the ends of the path it stays.
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
  // A lesson that the selection leaves out was opened by itself: on to the next one of the selection.
  const order = stops.findIndex((stop) => stop.slug === place.lesson);
  const other = at >= 0 ? way[at + direction] : way.filter((stop) => Math.sign(stops.indexOf(stop) - order) === direction).at(direction === 1 ? 0 : -1);
  if (!other) return place;
  return { ...moved, lesson: other.slug, step: direction === 1 ? 1 : other.n_steps };
}
