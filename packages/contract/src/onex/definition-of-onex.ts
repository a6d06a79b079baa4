import type { Definition } from "@segno/kernel";

import type { SourceDocument } from "../document/read-document.ts";
import { definitionFromOnex } from "./definition-from-onex.ts";
import { derivedIds } from "./derived-ids.ts";
import { toOnexContract } from "./load-onex-contract.ts";

/** Makes a definition from an ONEX document. Missing ids are derived from its text, so that the same text has the same hash. */
export function definitionOfOnex(document: SourceDocument): Definition {
  return definitionFromOnex(toOnexContract(document, derivedIds(document.text.text)));
}
