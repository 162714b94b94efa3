// Reads a run as the browser does: `node played_run.js answer.bin cuts.json` writes the tokens that the text has after
// the last step, each as start, end and id, and the points of the curve.

import { readFileSync } from "node:fs";
import { TextFilm, visibleTokens } from "../../playground/web/train/playing.js";
import { curveOf, RunLog } from "../../playground/web/train/run_log.js";
import { readColumns } from "../../playground/web/shared/wire.js";

const [answer, cuts] = process.argv.slice(2).map((path) => readFileSync(path));
const { header, columns } = readColumns(new Uint8Array(answer).buffer), [view] = header.runs, log = new RunLog(view);
log.follow(view, columns);
const film = new TextFilm(JSON.parse(cuts.toString()).runs[0]), { start, end, id } = film.tokens;
film.follow(log);
const tokens = visibleTokens(film.tokens, log.n).map((at) => [start[at], end[at], id[at]]);
console.log(JSON.stringify({ tokens, n: log.n, changes: log.changes, candidates: log.candidatesAt(7).rows, curve: curveOf(log) }));
