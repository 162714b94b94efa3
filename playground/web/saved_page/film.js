// The film of a training in a saved page.

import { dataOf, find } from "../shared/element.js";
import { UNITS } from "../train/curve.js";
import { Film } from "../train/film.js";
import { N_COLUMNS, RunLog } from "../train/run_log.js";
import { listenForKeys, listenForPace, nameSteps } from "../train/stage.js";
import { drawPage, NEVER } from "./page.js";

/** @typedef {import("../shared/wire_types.d.ts").RunView} RunView */
/** @typedef {import("../train/curve.js").UnitName} UnitName */

drawPage(".train", (root, { header, columns }) => {
  const home = find(root, ".film"), film = new Film(home, NEVER, () => {});
  const logs = header.runs.map((/** @type {RunView} */ view, /** @type {number} */ nth) => {
    const log = new RunLog(view);
    log.follow(view, columns.slice(nth * N_COLUMNS, (nth + 1) * N_COLUMNS));
    return log;
  });
  home.hidden = false;
  find(root, ".word", HTMLInputElement).readOnly = true;
  nameSteps(root, header.runs);
  film.begin(logs, true);
  film.follow(header.unit);
  film.showText(header.cuts);
  film.showTrees(header.trees);
  film.stopAt(header.step);
  listenForPace(root, NEVER, film, { speed: film.speed, pauseAt: null }, () => {});
  listenForKeys(root, NEVER, film);
  home.addEventListener("click", (event) => {
    const unit = dataOf(event, "unit");
    if (unit && unit in UNITS) film.drawCurve(/** @type {UnitName} */ (unit));
  });
});
