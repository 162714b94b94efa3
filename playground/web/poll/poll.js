// A phone's page of a poll: the open question of the stage, and a button for each option.

/** The pause between two questions to the server. */
const WAIT_MS = 1_500;
/** A random number for this tab, so that a second vote replaces the first. */
const VOTER = crypto.getRandomValues(new Uint32Array(4)).join("-").slice(0, 40);

const heading = /** @type {HTMLElement} */ (document.querySelector("h1"));
const options = /** @type {HTMLElement} */ (document.querySelector(".options"));
const status = /** @type {HTMLElement} */ (document.querySelector("[role=status]"));
const LETTERS = "ABCDEF";
let shown = "";

/** @typedef {{lesson: string, asks: string, options: string[], chosen: number | null, right: number | null}} Asked */

/** Vote, or only ask for the open question with -1; return whether the poll goes on. @param {string} lesson @param {number} option */
async function say(lesson, option) {
  try {
    const response = await fetch(`${location.pathname}/vote`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ voter: VOTER, lesson, option }),
    });
    const answer = await response.json();
    if (response.ok) draw(answer);
    else status.textContent = answer.error;
    return response.status !== 410;
  } catch {
    status.textContent = "The server doesn't answer. Trying again …";
    return true;
  }
}

/** @param {Asked} asked */
function draw(asked) {
  const { lesson, chosen, right } = asked, isRevealed = lesson !== "" && right !== null;
  status.textContent = isRevealed ? verdict(chosen, right) : lesson && chosen !== null ? "Your vote is counted. You can change it." : "";
  if (shown !== lesson || !options.childElementCount) {
    shown = lesson;
    heading.textContent = asked.asks || "Look at the screen: the next question will come here.";
    options.replaceChildren(...asked.options.map((text, option) => {
      const one = document.createElement("button");
      const letter = document.createElement("b");
      letter.textContent = LETTERS[option];
      one.append(letter, ` ${text}`);
      one.addEventListener("click", () => void say(lesson, option));
      return one;
    }));
  }
  for (const [option, one] of [...options.children].entries()) {
    one.setAttribute("aria-pressed", String(option === chosen));
    one.classList.toggle("right", isRevealed && option === right);
    /** @type {HTMLButtonElement} */ (one).disabled = isRevealed;
  }
}

/** @param {number | null} chosen @param {number} right */
function verdict(chosen, right) {
  if (chosen === null) return `The answer is ${LETTERS[right]}.`;
  return chosen === right ? `✓ You were right: ${LETTERS[right]}.` : `✗ The answer is ${LETTERS[right]}; you chose ${LETTERS[chosen]}.`;
}

async function follow() {
  if (await say("", -1)) setTimeout(() => void follow(), WAIT_MS);
}

void follow();
