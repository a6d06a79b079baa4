/** A token bucket for each key: `rate` requests a second, and `burst` at once. */
export class RateLimit {
  readonly #rate: number;
  readonly #burst: number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor({ rate, burst }: { readonly rate: number; readonly burst: number }) {
    this.#rate = rate;
    this.#burst = burst;
  }

  /** Takes one request. Returns 0, or the number of seconds after which the next one is allowed. */
  take(key: string, nowMs: number = performance.now()): number {
    const bucket = this.#bucket(key, nowMs);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 0;
    }
    return Math.max(1, Math.ceil((1 - bucket.tokens) / this.#rate));
  }

  /** Whether `take` would allow a request, without taking it. */
  isOpen(key: string, nowMs: number = performance.now()): boolean {
    return !this.#buckets.has(key) || this.#bucket(key, nowMs).tokens >= 1;
  }

  #bucket(key: string, nowMs: number): { tokens: number; at: number } {
    const known = this.#buckets.get(key);
    if (known === undefined) {
      if (this.#buckets.size >= KEYS_MAX) this.#removeFull(nowMs);
      const bucket = { tokens: this.#burst, at: nowMs };
      this.#buckets.set(key, bucket);
      return bucket;
    }
    known.tokens = Math.min(this.#burst, known.tokens + ((nowMs - known.at) / 1000) * this.#rate);
    known.at = nowMs;
    return known;
  }

  /** A full bucket is the same as none. If all are in use, an attacker has many addresses, and all start over. */
  #removeFull(nowMs: number): void {
    for (const key of this.#buckets.keys())
      if (this.#bucket(key, nowMs).tokens >= this.#burst) this.#buckets.delete(key);
    if (this.#buckets.size >= KEYS_MAX) this.#buckets.clear();
  }
}

const KEYS_MAX = 10_000;
