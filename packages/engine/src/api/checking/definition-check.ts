// Checks definitions: every definition that an execution names exists, matches its hash, and compiles (CONTRACT-8).

import { compileDefinition, type ContentHash, type Definition, type Program } from "@segno/kernel";
import { canonicalHash } from "../../checks/definition-text.ts";
import type { Store } from "../../store/store.ts";
import { finding, type Finding } from "./finding.ts";

/** The cache is small because most executions share a few definitions. */
const PROGRAMS_MAX = 500;

export class DefinitionCheck {
  readonly #store: Pick<Store, "contents">;
  readonly #programs = new Map<ContentHash, Program>();
  readonly #findings = new Map<ContentHash, Finding>();

  constructor(store: Pick<Store, "contents">) {
    this.#store = store;
  }

  /** The programs that were checked last and are sound. */
  get programs(): ReadonlyMap<ContentHash, Program> {
    return this.#programs;
  }

  async check(hashes: readonly ContentHash[]): Promise<readonly Finding[]> {
    if (this.#programs.size + hashes.length > PROGRAMS_MAX) this.#programs.clear();
    const unseen = hashes.filter((hash) => !this.#programs.has(hash) && !this.#findings.has(hash));
    const texts = unseen.length === 0 ? new Map() : await this.#store.contents({ kind: "definitions", hashes: unseen });
    for (const hash of unseen) this.#see(hash, texts.get(hash) as string | undefined);
    return hashes.flatMap((hash) => this.#findings.get(hash) ?? []);
  }

  #see(hash: ContentHash, text: string | undefined): void {
    const program = text === undefined || canonicalHash(text) !== hash ? undefined : tryCompile(text);
    if (text === undefined) this.#note(hash, "DEFINITION_DAMAGED", "is not in the store");
    else if (canonicalHash(text) !== hash) this.#note(hash, "DEFINITION_DAMAGED", "does not match its hash");
    else if (program === undefined) this.#note(hash, "STORE_VERSION", "cannot be compiled by this Segno");
    else this.#programs.set(hash, program);
  }

  #note(hash: ContentHash, code: "DEFINITION_DAMAGED" | "STORE_VERSION", what: string): void {
    this.#findings.set(hash, finding(code, `the definition ${hash} ${what}`));
  }
}

function tryCompile(text: string): Program | undefined {
  try {
    const result = compileDefinition(JSON.parse(text) as Definition);
    return result.kind === "problems" ? undefined : result.program;
  } catch {
    return undefined;
  }
}
