/** The index of the first item that is beyond, in a list where all such items come last. */
export function firstBeyond<Item>(list: readonly Item[], isBeyond: (item: Item) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBeyond(list[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
