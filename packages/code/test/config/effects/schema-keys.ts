import { z } from "zod";
import { executorConfigSchema } from "../../../src/config/executor-config.ts";

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

/** The paths of all keys of the configuration that take a value, such as `retry.base_delay`. */
export function schemaKeys(): readonly string[] {
  const { properties } = z.toJSONSchema(executorConfigSchema, { unrepresentable: "any" }) as JsonSchema;
  return keysOf(properties!["executor"]!, "");
}

function keysOf({ properties, items }: JsonSchema, path: string): readonly string[] {
  if (items?.properties !== undefined) return keysOf(items, `${path}[]`);
  if (properties === undefined) return [path];
  return Object.entries(properties).flatMap(([name, schema]) => keysOf(schema, path === "" ? name : `${path}.${name}`));
}
