// Upcasters: a row of an older version is raised, one version at a time, before anyone looks at it.
//
//   U1. Every row has a version from the first day (JOURNAL-4).
//   U2. A row of a version that this code does not know yet is refused, not guessed at; and it is not taken for damage: code
//       that knows it may come back.

import type { JsonObject } from "../model/json.ts";
import { EVENT_VERSION } from "./event.ts";

/** Takes a row of version n and gives the same row as version n + 1 would have written it. */
export type Upcaster = (row: JsonObject) => JsonObject;

export interface Upcasting {
  readonly version: number;
  readonly from: Readonly<Record<number, Upcaster>>;
}

/** Nothing was released before version 1, so there is nothing to raise yet. */
export const UPCASTING: Upcasting = { version: EVENT_VERSION, from: {} };

export type UpcastResult =
  | { readonly kind: "row"; readonly row: JsonObject }
  | { readonly kind: "unreadable" | "newer"; readonly message: string };

export function upcast(row: JsonObject, upcasting: Upcasting = UPCASTING): UpcastResult {
  let current = row;
  for (;;) {
    const version = current["v"];
    if (version === upcasting.version) return { kind: "row", row: current };
    if (typeof version !== "number" || !Number.isInteger(version))
      return unreadable(`the row has no version, but ${JSON.stringify(version)}`);
    const raise = upcasting.from[version];
    if (raise === undefined) {
      const message = `version ${version} is not known here; this code reads up to ${upcasting.version}`;
      return { kind: version > upcasting.version ? "newer" : "unreadable", message };
    }
    current = { ...raise(current), v: version + 1 };
  }
}

function unreadable(message: string): UpcastResult {
  return { kind: "unreadable", message };
}
