import type { Definition } from "@segno/kernel";

import { readDocument } from "./document/read-document.ts";
import { definitionOfContract, type LoadOptions } from "./load-contract.ts";
import { definitionFromOnex } from "./onex/definition-from-onex.ts";
import { derivedIds } from "./onex/derived-ids.ts";
import { isOnexDocument, onexContractOf } from "./onex/load-onex-contract.ts";

/** A contract of either kind as what runs; one of ONEX is known by its key `workflow_coordination`. */
export function loadDefinition(content: string | Uint8Array, { file = "contract" }: LoadOptions = {}): Definition {
  const document = readDocument(content, file);
  if (!isOnexDocument(document.value)) return definitionOfContract(document);
  return definitionFromOnex(onexContractOf(document, derivedIds(document.text.text)));
}
