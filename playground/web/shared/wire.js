// The wire: requests to the editor's route and the token columns that come back.

/** POST JSON to an action; resolves to the JSON answer, or throws an Error with the server's sentence. */
export async function postJson(url, action, body) {
  return (await post(url, action, body)).json();
}

/**
 * POST JSON to an action that answers with tokens: a JSON header, then ids and byte lengths as uint32.
 * Resolves to {…header, pieces: [{nTokens, nUtf16, ids, lengths}]}.
 */
export async function postForTokens(url, action, body) {
  const buffer = await (await post(url, action, body)).arrayBuffer();
  const nHeader = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, nHeader)));
  let offset = 4 + nHeader;
  header.pieces = header.pieces.map(([nTokens, nUtf16]) => {
    const ids = new Uint32Array(buffer, offset, nTokens);
    const lengths = new Uint32Array(buffer, offset + 4 * nTokens, nTokens);
    offset += 8 * nTokens;
    return { nTokens, nUtf16, ids, lengths };
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
