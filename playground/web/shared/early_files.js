// Early files: what was dropped before a page's code had come, and is no tokenizer's, is offered to the page's field.

const OFFERED = "tessera-early-file";

/**
 * `take` gets a file that was dropped early, and tells whether the field takes it.
 * @param {AbortSignal} signal
 * @param {(file: File) => boolean} take
 * @param {EventTarget} page
 */
export function onEarlyFile(signal, take, page = document) {
  const hear = (/** @type {Event} */ event) => {
    if (event instanceof CustomEvent && take(event.detail)) event.preventDefault();
  };
  page.addEventListener(OFFERED, hear, { signal });
}

/** Whether a field of the page has taken the file. @param {File} file @param {EventTarget} page */
export const isTakenByField = (file, page = document) => !page.dispatchEvent(new CustomEvent(OFFERED, { detail: file, cancelable: true }));
