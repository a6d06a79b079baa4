// Upcasters: a row of an older version is converted, one version at a time, before it is used.
//
//   U1. Every row has a version from the first release on (JOURNAL-4).
//   U2. A row of a version that this code does not know is refused. It does not count as damage: newer code can read it.

import type { JsonObject } from "../model/json.ts";
import { EVENT_VERSION } from "./event.ts";

/** Converts a row of version n into the same row of version n + 1. */
export type Upcaster = (row: JsonObject) => JsonObject;

export interface Upcasting {
  readonly version: number;
  readonly from: Readonly<Record<number, Upcaster>>;
}

/** No version before 1 was released, so there is nothing to convert yet. */
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
    const upcaster = upcasting.from[version];
    if (upcaster === undefined) {
      const message = `version ${version} is not known here; this code reads up to ${upcasting.version}`;
      return { kind: version > upcasting.version ? "newer" : "unreadable", message };
    }
    current = { ...upcaster(current), v: version + 1 };
  }
}

function unreadable(message: string): UpcastResult {
  return { kind: "unreadable", message };
}
