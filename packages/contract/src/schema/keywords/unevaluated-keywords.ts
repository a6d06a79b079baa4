// Keywords for the parts that no other keyword has evaluated. They are applied last.

import type { KeywordCompiler } from "../keyword-compiler.ts";
import { refuse } from "../schema-node.ts";
import { applyInside, ofList } from "./array-keywords.ts";
import { everyKey, ofObject } from "./object-keywords.ts";

export const UNEVALUATED_KEYWORDS: readonly KeywordCompiler[] = [
  ({ unevaluatedItems: schema }, compiler) => {
    if (schema === undefined) return undefined;
    const node = compiler.node(schema);
    return ofList((list, visit) => {
      let fits = true;
      const evaluated = visit.evaluated!;
      const start = evaluated.leadingItems;
      visit.fuel.keys(Math.max(0, list.length - start));
      evaluated.itemsUpTo(list.length);
      for (let index = start; index < list.length; index++) {
        if (evaluated.hasSingleItem(index)) continue;
        if (schema === false) fits = refuse(visit, "is one item too many", index);
        else if (!applyInside(node, list[index]!, visit, index)) fits = false;
        if (!fits && (visit.mismatches === undefined || visit.mismatches.isFull)) return false;
      }
      return fits;
    });
  },
  ({ unevaluatedProperties: schema }, compiler) => {
    if (schema === undefined) return undefined;
    const node = compiler.node(schema);
    return ofObject((object, visit) =>
      everyKey(visit.keys.of(object), visit, (key) => {
        if (visit.evaluated!.hasKey(key)) return true;
        visit.evaluated!.key(key);
        if (schema === false) return refuse(visit, "is not a known key", key);
        return applyInside(node, object[key]!, visit, key);
      }),
    );
  },
];
