// Pages of a database that cannot be read for a while: the file has zeros where they were, as a disk that fails may give.

import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** The page size that Segno gives its files. */
const PAGE_BYTES = 2048;

export class DamagedPages {
  readonly #file: string;
  readonly #fd: number;
  readonly #bytes: Buffer;

  /** Closing a file would drop the locks that SQLite has on it in this process, so it stays open until `close`. */
  constructor(file: string) {
    this.#file = file;
    this.#bytes = readFileSync(file);
    this.#fd = openSync(file, "r+");
  }

  /** All but the first page, which says what the file is. */
  spoilAll(): void {
    for (let page = 2; page <= this.#bytes.length / PAGE_BYTES; page++) this.#spoil(page);
  }

  /** The rows of a table or an index, but for the last of them. */
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
