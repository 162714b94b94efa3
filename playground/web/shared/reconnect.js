// Reconnect: what a page does while the server does not answer, has too much to do, or no longer knows the page.

import { RefusedError } from "./wire.js";

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
    return "The server is busy right now. What you typed is kept, and its answer comes by itself.";
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
