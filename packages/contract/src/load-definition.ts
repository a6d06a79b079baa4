import type { Definition } from "@segno/kernel";

import { readDocument } from "./document/read-document.ts";
import { definitionOfContract, type LoadOptions } from "./load-contract.ts";
import { isOnexDocument } from "./onex/onex-document-key.ts";

/** A contract of either kind as what runs; one of ONEX is known by its key `workflow_coordination`. */
export async function loadDefinition(
  content: string | Uint8Array,
  { file = "contract" }: LoadOptions = {},
): Promise<Definition> {
  const document = readDocument(content, file);
  if (!isOnexDocument(document.value)) return definitionOfContract(document);
  // Loaded when it is needed: most contracts are native, and the command is to start fast.
  const { definitionOfOnex } = await import("./onex/definition-of-onex.ts");
  return definitionOfOnex(document);
}
