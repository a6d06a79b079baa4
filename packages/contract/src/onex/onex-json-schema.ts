// The JSON Schema of an ONEX contract, generated from the models for use in editors (CONTRACT-6).

import type { JsonObject } from "@segno/kernel";
import { z } from "zod";

import { onexSchema } from "./models/raw-onex.ts";

/** An identifier; nothing is fetched from this address. */
const ID = "urn:segno:onex:1";

export function onexJsonSchema(): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(onexSchema, { target: "draft-2020-12", io: "input" }) as JsonObject;
  return { $schema: $schema!, $id: ID, title: "ONEX contract", ...rest };
}

/** The text of `schema/onex.schema.json`. */
export function onexJsonSchemaText(): string {
  return `${JSON.stringify(onexJsonSchema(), null, 2)}\n`;
}
