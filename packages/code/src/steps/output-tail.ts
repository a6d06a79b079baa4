/** The last bytes of an output. They go to the journal, so there are few of them. */
export class OutputTail {
  readonly #bytesMax: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number = 16 * 1024) {
    this.#bytesMax = bytesMax;
  }

  write(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#bytesMax * 2) return;
    this.#chunks = [Buffer.concat(this.#chunks).subarray(-this.#bytesMax)];
    this.#bytes = this.#bytesMax;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).subarray(-this.#bytesMax).toString("utf8").toWellFormed();
  }
}
