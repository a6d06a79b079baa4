// A lane: steps of one execution that wait for the same thing, in the order in which they asked. A hundred thousand of them
// are a hundred thousand numbers.

import { Place } from "../line.ts";
import type { Account } from "./scheduler.ts";

/** Places of what was taken are kept until there are so many. */
const SPENT_MAX = 64;

export class Lane<Owner> extends Place {
  readonly account: Account<Owner>;
  /** The named agent, which has a limit of its own. */
  readonly agent: string | undefined;
  #steps: number[] = [];
  #head = 0;
  /** Stepped out of the middle; they are passed over when their turn comes. */
  readonly #withdrawn = new Set<number>();

  constructor(account: Account<Owner>, agent: string | undefined) {
    super();
    this.account = account;
    this.agent = agent;
  }

  get size(): number {
    return this.#steps.length - this.#head - this.#withdrawn.size;
  }

  /** Who stepped out and comes again has its old place. */
  add(step: number): void {
    if (!this.#withdrawn.delete(step)) this.#steps.push(step);
  }

  /** The one that has waited longest. There must be one. */
  take(): number {
    let step = this.#steps[this.#head++]!;
    while (this.#withdrawn.delete(step)) step = this.#steps[this.#head++]!;
    if (this.#head > SPENT_MAX && this.#head * 2 > this.#steps.length) this.#compact();
    return step;
  }

  /** It must be waiting. */
  withdraw(step: number): void {
    this.#withdrawn.add(step);
  }

  clear(): void {
    this.#steps = [];
    this.#head = 0;
    this.#withdrawn.clear();
  }

  #compact(): void {
    this.#steps = this.#steps.slice(this.#head);
    this.#head = 0;
  }
}
