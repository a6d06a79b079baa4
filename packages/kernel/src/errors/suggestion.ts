// "Did you mean": the nearest known word, if it is near enough to be a typing error.
//
//   N1. The work is bounded for every document: long words get no suggestion, and all suggestions of one document share one
//       budget. When the budget is used up, there are no more suggestions.

const DISTANCE_MAX = 3;
/** Longer words are not typed by hand. */
const WORD_LENGTH_MAX = 64;
/** The number of characters that are compared for one document: some tens of milliseconds. */
const WORK_MAX = 1_000_000;

export function closest(word: string, candidates: Iterable<string>): string | undefined {
  return new Suggestions().closest(word, candidates);
}

/** Suggestions for one document, within one budget. */
export class Suggestions {
  #workLeft = WORK_MAX;

  closest(word: string, candidates: Iterable<string>): string | undefined {
    if (word.length > WORD_LENGTH_MAX) return undefined;
    const wanted = word.toLowerCase();
    let best: string | undefined;
    let bestDistance = Math.min(DISTANCE_MAX, Math.max(1, Math.floor(word.length / 2))) + 1;
    for (const candidate of candidates) {
      if (this.#workLeft <= 0) break;
      this.#workLeft--;
      if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
      this.#workLeft -= candidate.length;
      const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
      if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
    }
    return best;
  }
}

/** The Levenshtein distance in two rows, within a band around the diagonal; at most `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  let previous = Uint8Array.from({ length: b.length + 1 }, (_, index) => Math.min(index, limit));
  let current = new Uint8Array(b.length + 1);
  for (let row = 1; row <= a.length; row++) {
    const first = Math.max(1, row - limit);
    current.fill(limit, first - 1);
    if (first === 1) current[0] = Math.min(row, limit);
    let least = current[first - 1]!;
    for (let column = first; column <= Math.min(b.length, row + limit); column++) {
      const substitution = previous[column - 1]! + (a.charCodeAt(row - 1) === b.charCodeAt(column - 1) ? 0 : 1);
      const distance = Math.min(substitution, previous[column]! + 1, current[column - 1]! + 1, limit);
      current[column] = distance;
      if (distance < least) least = distance;
    }
    if (least >= limit) return limit;
    [previous, current] = [current, previous];
  }
  return previous[b.length]!;
}
