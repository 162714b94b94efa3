// Tokenizer files: told from texts and data by their names, and where a name says nothing by how they begin.

/** As `files/` reads them; a browser that saves a file twice adds " (1)". */
const NAMED = /(\.(model(\.v\d+)?|spm|tiktoken|bpe|jinja)|(vocab|merges)\.txt|(tokenizer|tokenizer_config|special_tokens_map|added_tokens|encoder|vocab)\.json)$|^tekken.*\.json$/i;
/** What goes with a tokenizer's own, as `files/tokenizer_config.py` has it. */
const BESIDE = /((tokenizer_config|special_tokens_map|added_tokens)\.json|\.jinja)$/i;
/** How Hugging Face's tokenizer.json begins, under whatever name. */
const BEGINS = /^\s*\{\s*"version"\s*:\s*"[^"]*",\s*"truncation"/;
const BEGINNING = 1000;

/** @param {string} name */
const withoutNumber = (name) => name.replace(/ ?\(\d+\)(?=(\.\w+)+$)/, "");

/** Whether a file of this name goes with a tokenizer's own. @param {{name: string}} file */
export const isBeside = ({ name }) => BESIDE.test(withoutNumber(name));

/** Whether a file is a tokenizer's, and no text or data. @param {File} file */
export async function isTokenizerFile(file) {
  return NAMED.test(withoutNumber(file.name)) || (/\.json$/i.test(file.name) && BEGINS.test(await file.slice(0, BEGINNING).text()));
}
