// The first script of a page: it stands there before Streamlit's (`server/page_address.py`), so it is no module.

// Where the app is: else Streamlit asks below the page's address, and the console fills with two errors a visit.
Object.assign(globalThis, { __streamlit: { BACKEND_BASE_URL: new URL(".", location.href).href } });

// What is kept: else an address that is typed, and another tab, would have normal type again, and a reload show an
// example's figures. `memory/type_size.js` writes the size; `memory.js` beside it takes the mark away once all is back.
try {
  const address = new URL(location.href), kept = JSON.parse(localStorage.getItem("tessera.type") ?? "null");
  if (kept?.size === "large" && !address.searchParams.has("type")) {
    address.searchParams.set("type", "large");
    history.replaceState(history.state, "", address);
  }
} catch {} // a browser that keeps nothing
try {
  if (sessionStorage.getItem("tessera.tab")) { // what this tab had is on its way
    document.documentElement.toggleAttribute("data-comes-back", true);
    setTimeout(() => document.documentElement.toggleAttribute("data-comes-back", false), 15000);
  }
} catch {} // a browser that keeps nothing

// Files that are dropped before the page's code has come: a browser would leave the app for them.
// `open_tokenizer/` calls `end`, and opens them.
{
  /** @type {File[]} */
  let files = [];
  const hold = (/** @type {DragEvent} */ event) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    if (event.type === "drop") files = [...event.dataTransfer.files];
  };
  addEventListener("dragover", hold);
  addEventListener("drop", hold);
  const end = () => {
    removeEventListener("dragover", hold);
    removeEventListener("drop", hold);
    return files.splice(0);
  };
  Object.assign(globalThis, { tesseraDropped: { end } });
}

// The last press on a button whose code has not come: it is inert until then, and the press is told of what is below.
// `shared/mount.js` repeats it once it is heard.
{
  /** @type {Element | undefined} */
  let pressed;
  addEventListener("click", ({ clientX: x, clientY: y, target }) => {
    const isThere = (/** @type {Element} */ button) => {
      const { left, right, top, bottom } = button.getBoundingClientRect();
      return left <= x && x < right && top <= y && y < bottom;
    };
    const below = target instanceof Element ? [target, ...target.querySelectorAll("*")] : [];
    pressed = below.flatMap(({ shadowRoot }) => [...(shadowRoot?.querySelectorAll("[inert] button") ?? [])]).find(isThere);
  }, true);
  /** The button, if one inside was pressed so. @param {Element} root */
  const take = (root) => {
    const button = root.contains(pressed ?? null) ? pressed : undefined;
    if (button) pressed = undefined;
    return button;
  };
  Object.assign(globalThis, { tesseraPresses: { take } });
}

// Back and Forward: a browser tells them in the order in which one began to listen, and Streamlit begins before any
// module. So the page is asked before Streamlit hears of them.
addEventListener("popstate", (event) => {
  const asked = new PopStateEvent("tessera:popstate", { state: event.state, cancelable: true });
  if (event.isTrusted && !dispatchEvent(asked)) event.stopImmediatePropagation();
});

// Each message that asks for a run has a number, and says it as the value of a widget: `ui/state.py` tells which it has
// heard, `shared/hearing.js` compares. Protobuf joins a `BackMsg.rerun_script` that follows with the one before it.
{
  const { send } = WebSocket.prototype;
  /** A field of a message, shorter than 128 bytes. @param {number} number @param {number[]} content */
  const field = (number, content) => [number * 8 + 2, content.length, ...content];
  const bytes = (/** @type {string} */ text) => [...new TextEncoder().encode(text)];
  /** `BackMsg.rerun_script.widget_states.widgets`, of which one has `id` and `string_value`. @param {number} number */
  const saying = (number) => field(11, field(2, field(1, [...field(1, bytes("said")), ...field(6, bytes(`${number}`))])));
  const [askingForRun] = saying(0);
  /** Whether a timer asks (`ClientState.is_auto_rerun`): what it asks for may be gone, and then nothing is drawn. @param {Uint8Array} data */
  const isOfTimer = (data) => {
    let at = 1;
    const number = () => {
      for (let value = 0, factor = 1; ; factor *= 128) {
        const byte = data[at++];
        value += (byte & 127) * factor;
        if (byte < 128) return value;
      }
    };
    number(); // the length of all that follows
    while (at < data.length) {
      const tag = number(), value = number();
      if (tag === 6 * 8) return value === 1;
      if (tag % 8 === 2) at += value;
    }
    return false;
  };
  let nSaid = 0;
  WebSocket.prototype.send = function (/** @type {Parameters<typeof send>[0]} */ data) {
    if (!(data instanceof Uint8Array && data[0] === askingForRun)) return send.call(this, data);
    const n = isOfTimer(data) ? nSaid : nSaid + 1; // Streamlit takes a newer message for what an older one said, too
    const number = saying(n), numbered = new Uint8Array(data.length + number.length);
    numbered.set(data);
    numbered.set(number, data.length);
    send.call(this, numbered);
    nSaid = n;
  };
  Object.assign(globalThis, { tesseraSaid: () => nSaid });
}
