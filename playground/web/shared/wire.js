// The wire: requests to a page's session and the columns that come back; `server/wire.py` packs them.

/** POST JSON to an action; resolves to the JSON answer, or throws an Error with the server's sentence. */
export async function postJson(url, action, body) {
  return (await post(url, action, body)).json();
}

/** POST JSON to an action that answers with columns: {…header, columns: [Uint32Array]}; see `readColumns`. */
export async function postForColumns(url, action, body) {
  return readColumns(await (await post(url, action, body)).arrayBuffer());
}

/** POST JSON to an action that answers with tokens: {…header, pieces: [{nTokens, nUtf16, ids, lengths}]}. */
export async function postForTokens(url, action, body) {
  const { columns: [ids, lengths], ...header } = await postForColumns(url, action, body);
  let start = 0;
  header.pieces = header.pieces.map(([nTokens, nUtf16]) => {
    const end = start + nTokens;
    const piece = { nTokens, nUtf16, ids: ids.subarray(start, end), lengths: lengths.subarray(start, end) };
    start = end;
    return piece;
  });
  return header;
}

/** The length of a header, the header as JSON, and columns of uint32 whose lengths it has in `columns`. */
export function readColumns(buffer) {
  const nHeader = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, nHeader)));
  let offset = 4 + nHeader;
  header.columns = header.columns.map((length) => {
    const column = new Uint32Array(buffer, offset, length);
    offset += 4 * length;
    return column;
  });
  return header;
}

async function post(url, action, body) {
  let response;
  try {
    response = await fetch(`${url}/${action}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw Object.assign(new Error("The app does not answer. Your text is kept here; is the server still running?"), { status: 0 });
  }
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  throw Object.assign(new Error(error), { status: response.status });
}
