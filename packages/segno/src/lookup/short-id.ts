// Prefixes of execution ids, as people type them.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;
/** Covers the time in milliseconds and 12 random bits, which is as good as unique. */
const UUID_PREFIX = 18;
/** The usual length of a short id. */
const PREFIX_MIN = 8;

/** Whether this is a complete id that the engine generated. */
export function isWhole(id: string): boolean {
  return UUID.test(id);
}

/** A prefix that is as good as unique, found without reading other ids. */
export function idPrefix(id: string): string {
  return isWhole(id) ? id.slice(0, UUID_PREFIX) : id;
}

/** The number of characters that distinguish each of these ids from all others. */
export function distinctLength(ids: readonly string[], all: readonly string[]): number {
  const sorted = all.toSorted();
  const places = new Map(sorted.map((id, place) => [id, place]));
  let length = PREFIX_MIN;
  for (const id of ids) {
    const place = places.get(id);
    if (place === undefined) continue;
    for (const other of [sorted[place - 1], sorted[place + 1]])
      if (other !== undefined) length = Math.max(length, commonLength(id, other) + 1);
  }
  return length;
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
