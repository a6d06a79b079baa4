// The documents of an engine: checks the arguments of a program before the store gets them (K10, K14).

import { SegnoError } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import { checkName } from "../checks/names.ts";
import { invalidOption } from "../checks/option-error.ts";
import { ANYTHING, checkOptions, isObject, type OptionRules } from "../checks/option-rules.ts";
import type { StoreAccess } from "../inbox/store-access.ts";
import type { DocumentRange, DocumentStore, StoredDocument } from "../store/document-store.ts";
import { storeFaultOf } from "../store/store-fault.ts";

/** 10 MB: the largest body that the server accepts. */
const BODY_BYTES_MAX = 10 * 1024 * 1024;
const LIMIT_MAX = 1000;

const DOCUMENT_RULES: OptionRules = { kind: ANYTHING, key: ANYTHING, body: ANYTHING };
const RANGE_RULES: OptionRules = {
  after: ANYTHING,
  limit: {
    expected: `a whole number from 1 to ${LIMIT_MAX}`,
    fits: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= LIMIT_MAX,
  },
};

export class EngineDocuments implements DocumentStore {
  readonly #documents: DocumentStore;
  readonly #access: Pick<StoreAccess, "assertOpen" | "assertWritable">;

  constructor(documents: DocumentStore, access: Pick<StoreAccess, "assertOpen" | "assertWritable">) {
    this.#documents = documents;
    this.#access = access;
  }

  async get(kind: string, key: string): Promise<string | undefined> {
    this.#access.assertOpen();
    checkNames({ kind, key });
    return settled(() => this.#documents.get(kind, key));
  }

  async list(kind: string, range: DocumentRange = {}): Promise<readonly StoredDocument[]> {
    this.#access.assertOpen();
    checkName("the kind of a document", kind);
    if (!isObject(range)) throw invalidOption("range", "an object with `after` and `limit`", range);
    checkOptions("a list of documents", range, RANGE_RULES);
    if (range.after !== undefined) checkName("`after` of a list of documents", range.after);
    return settled(() => this.#documents.list(kind, range));
  }

  async put(document: StoredDocument, expected?: string | null): Promise<void> {
    this.#access.assertWritable("change documents");
    if (!isObject(document)) throw invalidOption("document", "an object with `kind`, `key` and `body`", document);
    checkOptions("a document", document, DOCUMENT_RULES);
    const { kind, key, body } = document;
    checkNames(document);
    checkBody(body);
    if (expected !== undefined && expected !== null && typeof expected !== "string")
      throw invalidOption("expected", "the body that was read, or null if the document must not exist", expected);
    await settled(() => this.#documents.put({ kind, key, body }, expected));
  }

  async remove(kind: string, key: string): Promise<boolean> {
    this.#access.assertWritable("change documents");
    checkNames({ kind, key });
    return settled(() => this.#documents.remove(kind, key));
  }
}

/** The errors of a store with a code stay as they are; any other error is a fault of the store (K7). */
async function settled<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof SegnoError ? error : storeFaultOf(error);
  }
}

function checkNames({ kind, key }: Pick<StoredDocument, "kind" | "key">): void {
  checkName("the kind of a document", kind);
  checkName("the key of a document", key);
}

function checkBody(body: unknown): void {
  if (typeof body !== "string") throw invalidBody(`must be JSON text, not ${describeValue(body)}`);
  // A text has at most three bytes for each of its units, so most texts need not be measured.
  const bytes = body.length > BODY_BYTES_MAX / 3 ? Buffer.byteLength(body) : 0;
  if (bytes > BODY_BYTES_MAX) throw invalidBody(`must have at most ${BODY_BYTES_MAX} bytes, not ${bytes}`);
  if (!body.isWellFormed()) throw invalidBody("must not contain lone surrogates; `JSON.stringify` escapes them");
  try {
    JSON.parse(body);
  } catch (error) {
    throw invalidBody(`must be JSON text: ${(error as Error).message}`);
  }
}

function invalidBody(problem: string): SegnoError {
  return new SegnoError("DOCUMENT_INVALID", `the body of a document ${problem}`);
}
