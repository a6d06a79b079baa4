// `npm run generate`: writes the files that are made from code.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { GENERATED_DOCUMENTS } from "./generated-documents.ts";
import { requireNode } from "./node-version.ts";
import { ROOT } from "./repository.ts";

requireNode();
for (const document of GENERATED_DOCUMENTS) {
  const path = join(ROOT, document.file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await document.content());
  console.log(document.file);
}
