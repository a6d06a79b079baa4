import type { Definition } from "@segno/kernel";

import { deepFreeze } from "@segno/kernel/deep-freeze";
import { readDocument } from "../document/read-document.ts";
import type { LoadOptions } from "../document/load-options.ts";
import { definitionOfContract } from "./load-contract.ts";
import { rebaseModulePaths, type ModuleBase } from "./module-paths.ts";
import { isOnexDocument } from "../document/onex-document-key.ts";

/** Loads a contract of either kind as a definition. The key `workflow_coordination` identifies an ONEX contract. */
export async function loadDefinition(
  content: string | Uint8Array,
  { file = "contract", modules }: LoadOptions & { readonly modules?: ModuleBase } = {},
): Promise<Definition> {
  const document = readDocument(content, file);
  if (!isOnexDocument(document.value)) return definitionOfContract(document, modules);
  // Imported on demand: most contracts are native, and the command has to start fast.
  const { definitionOfOnex } = await import("../onex/definition-of-onex.ts");
  const definition = definitionOfOnex(document);
  return modules === undefined ? definition : deepFreeze(rebaseModulePaths(definition, modules));
}
