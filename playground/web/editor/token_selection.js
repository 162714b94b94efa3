// Token selection: which tokens of a pane the reader has selected as one selects text.

/** The first and the last token that a selection touches, null where it touches none. @param {HTMLElement} root @returns {[Element, Element] | null} */
export function selectedTokens(root) {
  const range = rangeIn(root);
  if (!range) return null;
  const { startContainer, startOffset, endContainer, endOffset } = range;
  let first = tokenOf(startContainer), last = tokenOf(endContainer);
  if (first && startOffset === startContainer.textContent?.length) first = stepToken(first, 1);
  if (last && endOffset === 0) last = stepToken(last, -1);
  if (!first || !last) {
    // It begins or ends between tokens, or beyond the pane.
    const live = document.createRange();
    live.setStart(startContainer, startOffset);
    live.setEnd(endContainer, endOffset);
    const touched = [...root.querySelectorAll(".t")].filter((token) => live.intersectsNode(token));
    first ??= touched[0] ?? null;
    last ??= touched.at(-1) ?? null;
  }
  const isOrdered = first && last && (first === last || first.compareDocumentPosition(last) & Node.DOCUMENT_POSITION_FOLLOWING);
  return first && last && isOrdered ? [first, last] : null;
}

/** What is selected, where it touches an element and is not empty. @param {HTMLElement} root @returns {StaticRange | Range | null} */
function rangeIn(root) {
  const tree = root.getRootNode(), selection = document.getSelection();
  if (!selection) return null;
  const shadowRoots = tree instanceof ShadowRoot ? [tree] : [];
  const range = selection.getComposedRanges?.({ shadowRoots })[0] ?? (selection.rangeCount ? selection.getRangeAt(0) : null);
  if (!range || range.collapsed) return null;
  return root.contains(range.startContainer) || root.contains(range.endContainer) ? range : null;
}

/** @param {Node} node @returns {Element | null} */
const tokenOf = (node) => (node instanceof Element ? node : node.parentElement)?.closest(".t") ?? null;

/** The token before or after another, also in the next block. @param {Element} token @param {1 | -1} by @returns {Element | null} */
function stepToken(token, by) {
  const next = (/** @type {Element} */ element) => (by > 0 ? element.nextElementSibling : element.previousElementSibling);
  for (let element = next(token); element; element = next(element)) if (element.matches(".t")) return element;
  for (let block = token.parentElement && next(token.parentElement); block; block = next(block)) {
    const tokens = [...block.querySelectorAll(".t")];
    if (tokens.length) return tokens.at(by > 0 ? 0 : -1) ?? null;
  }
  return null;
}
