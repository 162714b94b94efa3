// Numbers as they are written for a reader, with separators of thousands.

/** @param {number} n */
export const count = (n) => n.toLocaleString("en");

/** A number and what it counts: "1 token", "2 tokens". @param {number} n @param {string} unit */
export const counted = (n, unit) => `${count(n)} ${unitOf(n, unit)}`;

/** What a number counts, as it is written after it. @param {number} n @param {string} unit */
export const unitOf = (n, unit) => (n === 1 ? unit : `${unit}s`);

/** A difference with its sign. @param {number} n */
export const signed = (n) => (n > 0 ? `+${count(n)}` : count(n).replace("-", "−"));

/** Two decimals. @param {number} x */
export const fixed = (x) => x.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** One number to another with two decimals, a dash where the other is 0. @param {number} a @param {number} b */
export const ratio = (a, b) => (b ? fixed(a / b) : "–");

/** How often something is. @param {number} n */
export const times = (n) => (n === 1 ? "once" : `${count(n)} times`);

/** An amount of money, finer where it is small. @param {number} amount */
export function dollars(amount) {
  if (amount === 0) return "$0";
  return `$${amount < 0.01 ? amount.toPrecision(2) : amount.toFixed(amount < 1 ? 4 : 2)}`;
}
