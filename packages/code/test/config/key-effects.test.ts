// Each key of the configuration has an effect: two values lead to two results (CODE-13).

import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { executorConfigSchema } from "../../src/config/executor-config.ts";
import { closeServers, EVENT_EFFECTS } from "./effects/event-effects.ts";
import { INTEGRATION_EFFECTS } from "./effects/integration-effects.ts";
import { configWith, type KeyEffect } from "./effects/key-effect.ts";
import { RETRY_EFFECTS } from "./effects/retry-effects.ts";
import { SCHEDULING_EFFECTS } from "./effects/scheduling-effects.ts";
import { SESSION_EFFECTS } from "./effects/session-effects.ts";

const EFFECTS: readonly KeyEffect[] = [
  ...SCHEDULING_EFFECTS,
  ...RETRY_EFFECTS,
  ...SESSION_EFFECTS,
  ...INTEGRATION_EFFECTS,
  ...EVENT_EFFECTS,
];

/** A key that can have one value only so far. */
const SINGLE = new Set(["integration.forge.kind"]);

afterAll(closeServers);

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

/** The paths of all keys that take a value. */
function keysOf({ properties, items }: JsonSchema, path: string): readonly string[] {
  if (items?.properties !== undefined) return keysOf(items, `${path}[]`);
  if (properties === undefined) return [path];
  return Object.entries(properties).flatMap(([name, schema]) => keysOf(schema, path === "" ? name : `${path}.${name}`));
}

describe("the keys of the configuration", () => {
  it("CODE-13 all have a test of their effect, each once", () => {
    const { properties } = z.toJSONSchema(executorConfigSchema, { unrepresentable: "any" }) as JsonSchema;
    expect(EFFECTS.map(({ key }) => key).toSorted()).toEqual([...keysOf(properties!["executor"]!, "")].toSorted());
  });

  it.each(EFFECTS.map((effect) => [effect.key, effect] as const))("CODE-13 %s has an effect", async (key, effect) => {
    const results: unknown[] = [];
    for (const value of effect.values) results.push(await effect.observe(configWith(effect, value)));
    expect(results).toEqual(effect.results);
    if (!SINGLE.has(key)) expect(effect.results[0]).not.toEqual(effect.results[1]);
  });
});
