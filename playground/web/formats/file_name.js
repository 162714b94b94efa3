// File name: which file a text comes from, for a name such as prices.csv says how to read it.

/** The name of a file, and its first line. @typedef {{name: string, head: string}} Opened */

/** The name of the opened file as long as the text begins with the file's first line, else "". @param {Opened | null} opened @param {string} text */
export const fileNameOf = (opened, text) => (opened && opened.head && text.startsWith(opened.head) ? opened.name.slice(0, 300) : "");
