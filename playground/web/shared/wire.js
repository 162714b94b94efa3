// The wire: requests to our routes, and answers that are a JSON header with columns of numbers behind it.

/** What a server refused; `status` is the HTTP status, 0 where no answer came. */
export class RefusedError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * POST a body; resolves to the answer, or throws a RefusedError with the server's sentence.
 * @param {string} url
 * @param {string} body
 * @param {string} contentType
 */
export async function post(url, body, contentType) {
  let response;
  try {
    response = await fetch(url, { method: "POST", headers: { "Content-Type": contentType }, body });
  } catch {
    throw new RefusedError("The app does not answer. Your text is kept here; is the server still running?", 0);
  }
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  throw new RefusedError(error, response.status);
}

/**
 * POST JSON; resolves to the JSON answer.
 * @param {string} url
 * @param {object} body
 */
export async function postJson(url, body) {
  return (await post(url, JSON.stringify(body), "application/json")).json();
}

/**
 * Read the length of a JSON header, the header, and then columns of uint32, all little-endian.
 * @param {ArrayBuffer} buffer
 * @returns {{header: any, takeColumn: (length: number) => Uint32Array}} each call takes the column that comes next
 */
export function unpack(buffer) {
  const nHeader = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, nHeader)));
  let offset = 4 + nHeader;
  const takeColumn = (/** @type {number} */ length) => {
    const column = new Uint32Array(buffer, offset, length);
    offset += 4 * length;
    return column;
  };
  return { header, takeColumn };
}
