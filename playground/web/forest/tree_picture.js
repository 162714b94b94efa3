// Tree picture: trees as one SVG document, as they are laid out.

const TREE_VARIABLES = ["ink", "paper", "root", "leaf", "edge", "line", "muted", "lit"].map((name) => `--tree-${name}`);

/**
 * All trees inside an element as one SVG document, in the colours of the page.
 * @param {HTMLElement} root
 * @param {string} css
 */
export function treesToSvg(root, css) {
  const home = root.getBoundingClientRect(), probe = document.createElement("span");
  root.append(probe);
  /** @type {[string, string][]} */
  const colors = TREE_VARIABLES.map((name) => {
    probe.style.color = `var(${name})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  let width = 1, height = 1;
  const parts = [];
  for (const tree of root.querySelectorAll("svg.tree")) {
    const box = tree.getBoundingClientRect(), copy = /** @type {Element} */ (tree.cloneNode(true));
    const x = box.left - home.left + root.scrollLeft, y = box.top - home.top + root.scrollTop;
    // as large as the page's type makes it
    for (const [name, value] of Object.entries({ x, y, width: box.width, height: box.height })) copy.setAttribute(name, String(value));
    for (const element of copy.querySelectorAll(".lit")) element.classList.remove("lit", "top");
    width = Math.max(width, x + box.width + 8);
    height = Math.max(height, y + box.height + 8);
    parts.push(new XMLSerializer().serializeToString(copy));
  }
  const variables = colors.map(([name, color]) => `${name}:${color}`).join(";");
  const paper = colors.find(([name]) => name === "--tree-paper")?.[1];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${Math.ceil(height)}" ` +
    `viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" style="${variables}">` +
    `<style>${css}</style><rect width="100%" height="100%" fill="${paper}"/>${parts.join("")}</svg>`
  );
}
