// Each key of the configuration has an effect: two values lead to two results (CODE-13).

import { afterAll, describe, expect, it } from "vitest";
import { closeServers, EVENT_EFFECTS } from "./effects/event-effects.ts";
import { INTEGRATION_EFFECTS } from "./effects/integration-effects.ts";
import { configWith, type KeyEffect } from "./effects/key-effect.ts";
import { RETRY_EFFECTS } from "./effects/retry-effects.ts";
import { SCHEDULING_EFFECTS } from "./effects/scheduling-effects.ts";
import { schemaKeys } from "./effects/schema-keys.ts";
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

describe("the keys of the configuration", () => {
  it("CODE-13 all have a test of their effect, each once", () => {
    expect(EFFECTS.map(({ key }) => key).toSorted()).toEqual([...schemaKeys()].toSorted());
  });

  it.each(EFFECTS.map((effect) => [effect.key, effect] as const))("CODE-13 %s has an effect", async (key, effect) => {
    const results: unknown[] = [];
    for (const value of effect.values) results.push(await effect.observe(configWith(effect, value)));
    expect(results).toEqual(effect.results);
    if (!SINGLE.has(key)) expect(effect.results[0]).not.toEqual(effect.results[1]);
  });
});
