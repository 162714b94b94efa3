// Common ends: what of a list an edit leaves as it was.

/**
 * How many items two lists share at the start, and of the rest at the end.
 * @template T, U
 * @param {T[]} old
 * @param {U[]} now
 * @param {(one: T, other: U) => boolean} isSame
 * @returns {[nHead: number, nTail: number]}
 */
export function countCommonEnds(old, now, isSame) {
  const limit = Math.min(old.length, now.length);
  let nHead = 0, nTail = 0;
  while (nHead < limit && isSame(old[nHead], now[nHead])) nHead++;
  while (nTail < limit - nHead && isSame(old[old.length - 1 - nTail], now[now.length - 1 - nTail])) nTail++;
  return [nHead, nTail];
}
