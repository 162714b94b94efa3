// The header of a GGUF file: it has the tokenizer, and the weights after it stay on this machine.

/** The number of bytes read first. A large vocabulary's header has 16 MB. */
const FIRST_BYTES = 4 << 20;
/** The most bytes that are sent; the server rejects a longer header. */
const MAX_BYTES = 64 << 20;
const STRING = 8, ARRAY = 9;
/** Bytes of a value of each type, by the type's number. @type {Record<number, number>} */
const SIZES = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };

/** Return a GGUF file without its weights, and any other file unchanged. @param {File} file @returns {Promise<File>} */
export async function withoutWeights(file) {
  if (!/\.gguf$/i.test(file.name)) return file;
  for (let size = FIRST_BYTES; ; size *= 2) {
    const end = headerEnd(await file.slice(0, size).arrayBuffer());
    if (end !== null || size >= Math.min(file.size, MAX_BYTES)) return new File([file.slice(0, end ?? size)], file.name);
  }
}

/** Return the end of a header; null if it continues after these bytes or is damaged. @param {ArrayBuffer} bytes @returns {number | null} */
export function headerEnd(bytes) {
  const view = new DataView(bytes);
  let at = 16;
  const word = () => view.getUint32((at += 4) - 4, true);
  const long = () => Number(view.getBigUint64((at += 8) - 8, true));
  const skipText = () => {
    const size = long();
    at += size;
  };
  const skipMany = (/** @type {number} */ type, /** @type {number} */ count) => {
    if (type !== STRING && !(type in SIZES)) throw new RangeError("no such type");
    if (type !== STRING) at += count * SIZES[type];
    else for (let n = 0; n < count; n++) skipText();
  };
  try {
    for (let left = long(); left > 0; left--) {
      skipText();
      const type = word();
      if (type === ARRAY) skipMany(word(), long());
      else skipMany(type, 1);
    }
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  return at <= bytes.byteLength ? at : null;
}
