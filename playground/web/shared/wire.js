// Requests to a page's session, one at a time, the newest first, repeated until a server answers; and answers with
// columns, packed by `server/wire.py`.

/** A request that the server rejected; `status` is the HTTP status, 0 without an answer. */
export class RefusedError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * POST JSON to an action of a session. Resolves to the JSON answer, or throws a RefusedError with the server's
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
 * Read an answer: the header's length, the header as JSON, and columns of uint32, whose lengths are in `columns`.
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

/** Decode base64. @param {string} text @returns {Uint8Array<ArrayBuffer>} */
export const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/**
 * POST an object as JSON, or a blob, to an action of a session. Throws a RefusedError.
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
 * Runs `act` for the newest value only. While `act` runs, newer values replace each other; the last one is next.
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

  /** Drop the waiting value; a running call continues. */
  cancel() {
    this.next = null;
  }

  /** Resolves when nothing runs or waits. */
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
      this.running = null; // set at once, so that a value pushed from now on starts a new run
    }
  }
}

export const RETRY_MS = 1000;
/** Milliseconds between requests for a new session. Each request runs the page again, which takes a busy server seconds. */
const ASK_AGAIN_MS = [1000, 1000, 2000, 4000, 8000];
/** The server doesn't know the session, because it restarted or has dropped the session. */
const UNKNOWN = 410;
/** That, no answer, or a proxy's answer without a server behind it. */
const LOST = new Set([UNKNOWN, 0, 502, 504]);
/** Too many requests are waiting, or one has waited too long: send it again. */
const BUSY = new Set([429, 503]);

/**
 * The sentence for an error; "" for errors that a person has not caused, such as too many requests.
 * @param {unknown} error
 */
export function sentenceOf(error) {
  if (isBusy(error)) {
    return "The server is busy. What you typed is kept, and the result will appear shortly.";
  }
  return error instanceof Error ? error.message : "";
}

/**
 * Send a request again while the server is busy; throws other errors.
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

/** Whether an error means that the session may not have what it was sent. @param {unknown} error */
export const isLost = (error) => error instanceof RefusedError && LOST.has(error.status);

/** @param {unknown} error */
const isBusy = (error) => error instanceof RefusedError && BUSY.has(error.status);

/** Opens the page's session again at intervals, until the server answers. */
export class Reconnect {
  /**
   * `askForSession` asks the page for a new session. Streamlit ignores that while its own connection is down, so it
   * is repeated whenever the server says that the session is unknown. `reopen` opens the session; call `stop` when it
   * succeeds.
   * @param {{askForSession: () => void, reopen: () => void}} how
   */
  constructor({ askForSession, reopen }) {
    this.askForSession = askForSession;
    this.reopen = reopen;
    /** Whether an unsent request is waiting for the server. */
    this.isLost = false;
    this.isOver = false;
    this.nAsked = 0;
  }

  /** Return whether an error means that the server was lost or busy, and start to reconnect. @param {unknown} error */
  seeks(error) {
    if (!isLost(error) && !isBusy(error)) return false;
    this.isLost = true;
    if (this.timer !== undefined || this.isOver) return true;
    let wait = RETRY_MS;
    if (/** @type {RefusedError} */ (error).status === UNKNOWN) {
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

  /** Stop reconnecting; the page was left. */
  end() {
    this.stop();
    this.isOver = true;
  }
}

/**
 * Requests for what a page wants: the newest first, repeated while the server is away.
 * @template Wanted
 */
export class Requests {
  /**
   * `ask` makes the request and shows the answer; `askForSession` asks the page for a new session. After each request
   * `onProblem` gets a sentence, "" if all is well, unless something else is wanted by then.
   * @param {{ask: (wanted: Wanted) => Promise<void>, askForSession: () => void, onProblem: (sentence: string, error?: unknown) => void}} how
   */
  constructor({ ask, askForSession, onProblem }) {
    /** @type {Wanted | null} */
    this.wanted = null;
    this.queue = new NewestWins(async (/** @type {Wanted} */ wanted) => {
      try {
        await ask(wanted);
        this.reconnect.stop();
        if (this.wanted === wanted) onProblem("");
      } catch (error) {
        this.reconnect.seeks(error);
        if (this.wanted === wanted) onProblem(sentenceOf(error), error);
      }
    });
    this.reconnect = new Reconnect({ askForSession, reopen: () => this.wanted !== null && void this.queue.push(this.wanted) });
  }

  /** @param {Wanted} wanted */
  push(wanted) {
    this.wanted = wanted;
    return this.queue.push(wanted);
  }

  /** Want nothing any more; a request in flight continues. */
  cancel() {
    this.wanted = null;
    this.queue.cancel();
  }

  /** The page was left: what is waiting is still sent, but not again. */
  end() {
    this.reconnect.end();
  }
}

/** Runs `act` when typing has stopped. */
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

  /** Note a change. */
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
