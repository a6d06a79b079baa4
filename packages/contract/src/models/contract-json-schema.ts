// The JSON Schema of the contract, generated from the models for use in editors (CONTRACT-6).

import type { JsonObject } from "@segno/kernel";
import { z } from "zod";

import { contractSchema } from "./contract-document.ts";

/** An identifier; nothing is fetched from this address. */
const ID = "urn:segno:contract:1";

export function contractJsonSchema(): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(contractSchema, { target: "draft-2020-12", io: "input" }) as JsonObject;
  return { $schema: $schema!, $id: ID, title: "Segno contract", ...rest };
}

/** The text of `schema/contract.schema.json`. */
export function contractJsonSchemaText(): string {
  return `${JSON.stringify(contractJsonSchema(), null, 2)}\n`;
}
