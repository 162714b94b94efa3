// Token tip: what a segment is, floating beside it.

const GAP = 6, EDGE = 4; // in CSS pixels, to the token and to the sides of the editor

export class TokenTip {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
  }

  /** Say something beside a token, above it where there is room. @param {string} sentence @param {Element | undefined} token */
  show(sentence, token) {
    const { element } = this;
    element.textContent = sentence;
    element.hidden = false;
    const box = token?.getClientRects()[0] ?? token?.getBoundingClientRect(), home = element.offsetParent?.getBoundingClientRect();
    if (!box || !home) return this.hide();
    const left = Math.max(EDGE, Math.min(box.left - home.left, home.width - element.offsetWidth - EDGE));
    const above = box.top - home.top - element.offsetHeight - GAP;
    element.style.left = `${left}px`;
    element.style.top = `${above > 0 ? above : box.bottom - home.top + GAP}px`;
  }

  hide() {
    this.element.hidden = true;
  }
}
