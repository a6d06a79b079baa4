// The action of a task in a module: a function that gets the context. It runs on a thread and does not block other tasks.

export function countPrimes({ below }: { readonly below: number }): number {
  const isComposite = new Uint8Array(below);
  let count = 0;
  for (let candidate = 2; candidate < below; candidate++) {
    if (isComposite[candidate] === 1) continue;
    count++;
    for (let multiple = candidate * 2; multiple < below; multiple += candidate) isComposite[multiple] = 1;
  }
  return count;
}
