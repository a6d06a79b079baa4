// Keywords for the parts that no other keyword has evaluated. They are applied last.

import type { KeywordCompiler } from "../keyword-compiler.ts";
import { refuse } from "../schema-node.ts";
import { applyInside, ofList } from "./array-keywords.ts";
import { everyKey, meteredKeys, ofObject } from "./object-keywords.ts";

export const UNEVALUATED_KEYWORDS: readonly KeywordCompiler[] = [
  ({ unevaluatedItems: schema }, compiler) => {
    if (schema === undefined) return undefined;
    const node = compiler.node(schema);
    return ofList((list, visit) => {
      let fits = true;
      for (const [index, item] of list.entries()) {
        if (visit.evaluated!.hasItem(index)) continue;
        visit.evaluated!.item(index);
        if (schema === false) fits = refuse(visit, "is one item too many", index);
        else if (!applyInside(node, item, visit, index)) fits = false;
        if (!fits && (visit.mismatches === undefined || visit.mismatches.isFull)) return false;
      }
      return fits;
    });
  },
  ({ unevaluatedProperties: schema }, compiler) => {
    if (schema === undefined) return undefined;
    const node = compiler.node(schema);
    return ofObject((object, visit) =>
      everyKey(meteredKeys(object, visit), visit, (key) => {
        if (visit.evaluated!.hasKey(key)) return true;
        visit.evaluated!.key(key);
        if (schema === false) return refuse(visit, "is not a known key", key);
        return applyInside(node, object[key]!, visit, key);
      }),
    );
  },
];
