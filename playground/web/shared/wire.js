// The wire: requests to a page's session and the columns that come back; `server/wire.py` packs them.

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
