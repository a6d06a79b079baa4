// Database pages that cannot be read for a while: the file has zeros in their place, as a failing disk may return.

import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** The page size of Segno's files. */
const PAGE_BYTES = 2048;

export class DamagedPages {
  readonly #file: string;
  readonly #fd: number;
  readonly #bytes: Buffer;

  /** The file stays open until `close`: closing it would drop SQLite's locks on it in this process. */
  constructor(file: string) {
    this.#file = file;
    this.#bytes = readFileSync(file);
    this.#fd = openSync(file, "r+");
  }

  /** All pages but the first, which identifies the file. */
  spoilAll(): void {
    for (let page = 2; page <= this.#bytes.length / PAGE_BYTES; page++) this.#spoil(page);
  }

  /** All rows of a table or index but the last ones. */
  spoil(table: string): void {
    const leaves = this.#leavesOf(table);
    if (leaves.length < 2) throw new Error(`${table} has so few rows that none can be spoilt`);
    for (const page of leaves.slice(0, -1)) this.#spoil(page);
  }

  #leavesOf(table: string): number[] {
    const database = new DatabaseSync(this.#file, { readOnly: true });
    const select = database.prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path");
    const pages = select.all(table).map(({ pageno }) => Number(pageno));
    database.close();
    return pages;
  }

  #spoil(page: number): void {
    writeSync(this.#fd, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
  }

  restore(): void {
    writeSync(this.#fd, this.#bytes, 0, this.#bytes.length, 0);
  }

  close(): void {
    closeSync(this.#fd);
  }
}
