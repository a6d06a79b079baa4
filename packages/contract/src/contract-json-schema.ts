// The contract's JSON Schema, made from the models for editors (CONTRACT-6).

import type { JsonObject } from "@segno/kernel";
import { z } from "zod";

import { contractModel } from "./models/contract-document.ts";

/** A name, not an address: nothing is fetched from it. */
const ID = "urn:segno:contract:1";

export function contractJsonSchema(): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(contractModel, { target: "draft-2020-12", io: "input" }) as JsonObject;
  return { $schema: $schema!, $id: ID, title: "Segno contract", ...rest };
}

/** The text of `schema/contract.schema.json`. */
export function contractJsonSchemaText(): string {
  return `${JSON.stringify(contractJsonSchema(), null, 2)}\n`;
}
