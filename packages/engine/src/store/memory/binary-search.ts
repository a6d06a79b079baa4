/** The index of the first item that matches, in a list where all matching items come last. */
export function binarySearch<Item>(list: readonly Item[], matches: (item: Item) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (matches(list[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
