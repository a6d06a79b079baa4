// Every file that is made from code and committed. A new one is a line here; `npm run generate` writes it, and a test
// fails when the committed text is not what the code makes now.

import { errorsDocument } from "./errors-document.ts";

export interface GeneratedDocument {
  /** Where it stands, from the root of the repository. */
  readonly file: string;
  /** Its whole text. The same code gives the same text on every machine. */
  readonly content: () => Promise<string>;
}

export const GENERATED_DOCUMENTS: readonly GeneratedDocument[] = [
  { file: "docs/reference/errors.md", content: async () => errorsDocument() },
];
