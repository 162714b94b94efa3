// Hides the answer to a lesson's question in its figure, so that the class works it out.

/** Characters that continue a word or number. */
const PART = "[\\p{L}\\p{N}]";

/**
 * A text with the answer replaced by "?", or the same text if it doesn't contain the answer as a whole number or word.
 * @param {string} text @param {string} answer
 */
export function withoutAnswer(text, answer) {
  const plain = answer.replace(/ %$/, "");
  const spellings = /^\d+$/.test(plain) ? [plain, Number(plain).toLocaleString("en")] : [plain];
  const escaped = spellings.map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (plain.length < 2) return spellings.includes(text.trim()) ? "?" : text;
  return text.replace(new RegExp(`(?<!${PART}|\\d[.,])(?:${escaped.join("|")})(?!${PART}|[.,]\\d)`, "gu"), "?");
}

/**
 * Hide the answer wherever a figure shows it. Return the function that shows it again.
 * @param {HTMLElement} figure @param {string} answer
 */
export function hideAnswer(figure, answer) {
  /** @type {[ChildNode, string][]} */
  const hidden = [];
  const texts = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
  for (let node = /** @type {ChildNode | null} */ (texts.nextNode()); node; node = /** @type {ChildNode | null} */ (texts.nextNode())) {
    const text = node.textContent ?? "", other = withoutAnswer(text, answer);
    if (other === text) continue;
    hidden.push([node, text]);
    node.textContent = other;
  }
  return () => {
    for (const [node, text] of hidden.splice(0)) if (node.textContent === withoutAnswer(text, answer)) node.textContent = text;
  };
}
