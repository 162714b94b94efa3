// Memory: what is chosen, tokenizers and data outlive a reload of the tab. It shows only what cannot be kept,
// and reloads a page that is dead.

import { allHeard } from "../shared/hearing.js";
import { component } from "../shared/mount.js";
import { NewestWins } from "../shared/newest_wins.js";
import { Notes } from "../shared/notes.js";
import { onceFree } from "../shared/reconnect.js";
import { TabMemory } from "../shared/tab_memory.js";
import { postJson } from "../shared/wire.js";
import { reloadDead } from "./dead_page.js";
import { Keeper } from "./keeper.js";
import { ThingStore } from "../picker/thing_store.js";
import { TypeSize } from "./type_size.js";

/** What the page gives; see `ui/browser_memory.py`. @typedef {import("../shared/wire_types.d.ts").MemoryData} Data */
/** What it says to the page. @typedef {import("../shared/wire_types.d.ts").MemoryEvent} Said */

const TOLD_MS = 30_000;
/** After so long a page is not pale any more, whatever has become of what was to come. */
const PALE_MS = 15_000;

const notes = new Notes(document.createElement("div"));
const tell = (/** @type {string} */ name, /** @type {string} */ sentence) => {
  notes.problem(name, sentence);
  if (sentence) setTimeout(() => notes.problem(name, ""), TOLD_MS);
};
const keeper = new Keeper({ store: new ThingStore(globalThis.indexedDB), tab: tabName(), tell, typed: { read: () => ({}), forget() {} } });
const typeSize = new TypeSize(new TabMemory(localStorage, "tessera.type"));
/** How many things each session was given back. @type {Map<string, number>} */
const served = new Map();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let paleTimer;
/** The newest state is kept, one after the other, whichever page is shown. */
const keeping = new NewestWins(async (/** @type {{data: Data, say: () => void}} */ { data, say }) => {
  const server = serverAt(data.url);
  if (data.is_fresh) {
    if (!served.has(data.url)) served.set(data.url, await keeper.giveBack(server));
    if (served.get(data.url)) return say(); // the next run of the page tells what it then has
  }
  // All is back, or nothing was to come: the page is whole once the run that has it ends.
  if (document.documentElement.hasAttribute("data-comes-back")) void allHeard().then(() => showComing(false));
  await keeper.keep(data.things, server);
});

export default component(".memory", (root) => {
  notes.root = root;
  notes.draw();
  // What is told stands in a strip of its own at the window's end: the page ends above it.
  const measure = () => document.documentElement.style.setProperty("--told", `${root.offsetHeight}px`);
  const room = new ResizeObserver(measure);
  room.observe(root);
  measure();
  const endWatch = reloadDead();
  return {
    destroy: () => {
      room.disconnect();
      endWatch();
    },
    /** @param {import("../shared/mount.js").Given<Data, Said>} given */
    update({ data, setTriggerValue }) {
      typeSize.show(data.type_size);
      keeping.push({ data, say: () => setTriggerValue("given_back", Date.now()) });
    },
  };
});

/** A session's two actions. @param {string} url @returns {import("./keeper.js").Server} */
function serverAt(url) {
  return {
    fetch: async (name) => (await onceFree(() => postJson(url, "thing", { name }))).packed,
    giveBack: (name, digest, packed) => {
      showComing(true);
      return onceFree(() => postJson(url, "give_back", { name, digest, packed }));
    },
  };
}

/** What was kept is on its way: the page, drawn without it, is pale until then. @param {boolean} isComing */
function showComing(isComing) {
  clearTimeout(paleTimer);
  document.documentElement.toggleAttribute("data-comes-back", isComing);
  if (isComing) paleTimer = setTimeout(() => showComing(false), PALE_MS);
}

/** A name that this tab keeps over a reload, and no other has. */
function tabName() {
  /** @type {TabMemory<{name: string}>} */
  const memory = new TabMemory(sessionStorage, "tessera.tab");
  const name = memory.read().name ?? crypto.getRandomValues(new Uint32Array(2)).join("-");
  memory.write({ name });
  return name;
}
