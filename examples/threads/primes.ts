// An agent in a module: a function that gets the step's input. On its own thread it may take any time.

export function countPrimes({ from, to }: { readonly from: number; readonly to: number }): number {
  let count = 0;
  for (let candidate = from; candidate <= to; candidate++) if (isPrime(candidate)) count++;
  return count;
}

function isPrime(candidate: number): boolean {
  for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) return false;
  return candidate > 1;
}
