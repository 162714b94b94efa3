// Requests to a page's session, one at a time with the newest first, repeated until a server answers; and the answers'
// columns, which `server/wire.py` packs.

/** What a server refused; `status` is the HTTP status, 0 where no answer came. */
export class RefusedError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * POST JSON to an action of a session; resolves to the JSON answer, or throws a RefusedError with the server's
 * sentence.
 * @param {string} url
 * @param {string} action
 * @param {object} body
 */
export async function postJson(url, action, body) {
  return (await post(url, action, body)).json();
}

/**
 * POST JSON to an action that answers with columns; see `readColumns`.
 * @param {string} url
 * @param {string} action
 * @param {object} body
 */
export async function postForColumns(url, action, body) {
  return readColumns(await (await post(url, action, body)).arrayBuffer());
}

/**
 * The length of a header, the header as JSON, and columns of uint32 whose lengths it has in `columns`.
 * @param {ArrayBuffer} buffer
 * @returns {{header: any, columns: Uint32Array[]}}
 */
export function readColumns(buffer) {
  const nHeader = new DataView(buffer).getUint32(0, true);
  const { columns: lengths, ...header } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, nHeader)));
  let offset = 4 + nHeader;
  const columns = lengths.map((/** @type {number} */ length) => {
    const column = new Uint32Array(buffer, offset, length);
    offset += 4 * length;
    return column;
  });
  return { header, columns };
}

/**
 * POST a body to an action of a session, an object as JSON and a blob as it is; throws a RefusedError.
 * @param {string} url @param {string} action @param {object | Blob} body
 */
export async function post(url, action, body) {
  const isBlob = body instanceof Blob;
  let response;
  try {
    response = await fetch(`${url}/${action}`, {
      method: "POST",
      headers: { "Content-Type": isBlob ? "application/octet-stream" : "application/json" },
      body: isBlob ? body : JSON.stringify(body),
    });
  } catch {
    throw new RefusedError("The app does not answer. Your text is kept here; is the server still running?", 0);
  }
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  throw new RefusedError(error, response.status);
}

/**
 * Does what was wanted last. While `act` works, newer wishes replace each other; the last of them is done next.
 * @template T
 */
export class NewestWins {
  /** @param {(wanted: T) => Promise<void>} act handles its own errors */
  constructor(act) {
    this.act = act;
    /** @type {{wanted: T} | null} */
    this.next = null;
    /** @type {Promise<void> | null} */
    this.running = null;
  }

  /** @param {T} wanted */
  push(wanted) {
    this.next = { wanted };
    return (this.running ??= this.run());
  }

  /** Forget what waits; what is being done goes on. */
  cancel() {
    this.next = null;
  }

  /** Resolves when nothing is being done and nothing waits. */
  async settled() {
    while (this.running) await this.running;
  }

  async run() {
    try {
      while (this.next) {
        const { wanted } = this.next;
        this.next = null;
        await this.act(wanted);
      }
    } finally {
      this.running = null; // at once: what is pushed after the last look is done as well
    }
  }
}

export const RETRY_MS = 1000;
/** Waits between asking the page for a session: each asking starts a run of it anew, and a busy server needs seconds for one. */
const ASK_AGAIN_MS = [1000, 1000, 2000, 4000, 8000];
/** The server does not know the session: it was started anew, or has let the session go. */
const UNKNOWN = 410;
/** No answer came, or a proxy's that has no server behind it. */
const UNREACHED = [0, 502, 503, 504];
/** Too many requests wait already, or one has waited too long: the same is asked again. */
const BUSY = [429, 503];

/**
 * What a page says of an error, in a sentence; empty where there is none. The server tells who asks too much; a person did not.
 * @param {unknown} error
 */
export function sentenceOf(error) {
  if (isBusy(error)) {
    return "The server is busy. What you typed is kept, and the result will appear shortly.";
  }
  return error instanceof Error ? error.message : "";
}

/**
 * What is asked, again and again while the server is busy; what else is refused is thrown.
 * @template T
 * @param {() => Promise<T>} ask
 * @returns {Promise<T>}
 */
export async function onceFree(ask) {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** @param {unknown} error */
const isBusy = (error) => error instanceof RefusedError && BUSY.includes(error.status);

/** Opens the page again, once in a while, until the server answers. */
export class Reconnect {
  /**
   * `askForSession` asks the page for a new session. Streamlit drops that while its own socket is away, so it is asked
   * each time that the server says it knows none. `reopen` opens the session again; its answer is told to `stop`.
   * @param {{askForSession: () => void, reopen: () => void}} how
   */
  constructor({ askForSession, reopen }) {
    this.askForSession = askForSession;
    this.reopen = reopen;
    /** Whether something was not heard that the page has said. */
    this.isLost = false;
    this.isOver = false;
    this.nAsked = 0;
  }

  /** Whether an error means that the server was lost, or busy; it is then asked again. @param {unknown} error */
  seeks(error) {
    if (!(error instanceof RefusedError) || ![UNKNOWN, ...UNREACHED, ...BUSY].includes(error.status)) return false;
    this.isLost = true;
    if (this.timer !== undefined || this.isOver) return true;
    let wait = RETRY_MS;
    if (error.status === UNKNOWN) {
      wait = ASK_AGAIN_MS[Math.min(this.nAsked++, ASK_AGAIN_MS.length - 1)];
      this.askForSession();
    }
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.reopen();
    }, wait);
    return true;
  }

  /** The session is open. */
  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isLost = false;
    this.nAsked = 0;
  }

  /** The page is left: what still fails is not sought. */
  end() {
    this.stop();
    this.isOver = true;
  }
}

/** Runs `act` once typing has stopped. */
export class Settling {
  /**
   * @param {AbortSignal} signal ends it
   * @param {number} ms of rest after the last change
   * @param {() => void} act
   */
  constructor(signal, ms, act) {
    this.ms = ms;
    this.act = act;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  /** Something changed. */
  touch() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), this.ms);
  }

  end() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.act();
  }
}
