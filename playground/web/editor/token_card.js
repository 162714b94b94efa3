// Token card: everything about one token, as the server answers it. All text is set as text.

import { button } from "./chat_editor.js";

export function drawCard(card, details, { onClose, onStep }) {
  const heading = document.createElement("h3");
  const id = document.createElement("span");
  id.textContent = details.id.toLocaleString("en").replaceAll(",", "");
  const text = document.createElement("span");
  text.textContent = details.text === null ? `part of ${JSON.stringify(details.character)}` : JSON.stringify(details.text);
  const close = button("×", "Close (Esc)", onClose);
  const back = button("←", "The token before", () => onStep(-1)), on = button("→", "The next token", () => onStep(1));
  heading.append(id, text, back, on, close);
  back.style.marginLeft = "auto";
  close.style.marginLeft = "0";
  on.style.marginLeft = "0";

  const facts = document.createElement("dl");
  const fact = (name, value, isWide = false) => {
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = name;
    dd.textContent = value;
    if (isWide) dd.className = "wide";
    facts.append(dt, dd);
  };
  fact("rank", details.rank === null ? (details.is_special ? "none: a special token" : "none") : details.rank.toLocaleString("en"));
  fact("in this text", `${details.n_occurrences.toLocaleString("en")} ×`);
  fact("bytes", `${details.byte_start.toLocaleString("en")} to ${details.byte_end.toLocaleString("en")}`);
  fact("characters", `${details.char_start.toLocaleString("en")} to ${details.char_end.toLocaleString("en")}`);
  fact("hex", details.hex, true);

  const tables = document.createElement("div");
  tables.className = "tables";
  card.replaceChildren(heading, facts, tables);
  tables.append(table(["code point", "name"], details.code_points.map((point) => [point.code_point, point.name])));
  if (details.variants.length)
    tables.append(
      table(
        ["the same word as", "tokens", "ids"],
        details.variants.map((variant) => [JSON.stringify(variant.text), String(variant.ids.length), variant.ids.join(" ")]),
      ),
    );
  card.hidden = false;
}

function table(head, rows) {
  const element = document.createElement("table");
  const addRow = (cells, name) => {
    const row = element.insertRow();
    for (const value of cells) {
      const cell = document.createElement(name);
      cell.textContent = value;
      row.append(cell);
    }
  };
  addRow(head, "th");
  for (const cells of rows) addRow(cells, "td");
  return element;
}
