// Files made from code say what the code says now.

import { existsSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { GENERATED_DOCUMENTS } from "./generated-documents.ts";
import { ROOT, readText } from "./repository.ts";

describe.each(GENERATED_DOCUMENTS.map((document) => [document.file, document] as const))("%s", (file, document) => {
  it("is what `npm run generate` writes", async () => {
    expect(existsSync(join(ROOT, file))).toBe(true);
    expect(readText(file)).toBe(await document.content());
  });

  it("comes out the same twice", async () => {
    expect(await document.content()).toBe(await document.content());
  });
});
