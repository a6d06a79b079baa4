// Actions while ownership of the store moves between processes.

import { describe, expect, it } from "vitest";
import { ActionExecutor, Engine } from "../../src/index.ts";
import { MemoryStore } from "@segno/engine/testing";
import { VirtualEnvironment, VirtualTime } from "@segno/engine/testing";
import { after, NotingNode, numbered } from "./sample-actions.ts";

const POLL_MS = 100;

/** Ownership that the test assigns. */
class Baton {
  holder = "";
  readonly #losses = new Map<string, () => void>();

  give(name: string): void {
    const before = this.holder;
    this.holder = name;
    this.#losses.get(before)?.();
  }

  of(name: string) {
    return {
      tryOwn: async (onLost: () => void) => {
        this.#losses.set(name, onLost);
        return this.holder === name;
      },
      release: () => undefined,
    };
  }
}

interface Party {
  readonly engine: Engine;
  readonly executor: ActionExecutor;
}

class Relay {
  readonly baton = new Baton();
  readonly noting = new NotingNode();
  readonly #time = new VirtualTime();
  readonly #store = new MemoryStore();

  async open(name: string): Promise<Party> {
    const environment = new VirtualEnvironment(this.#time);
    const ownership = this.baton.of(name);
    const onFault = (): void => undefined;
    const engine = await Engine.open({ store: this.#store, environment, pollMs: POLL_MS, ownership, onFault });
    return { engine, executor: new ActionExecutor(engine, { NodeCompute: this.noting.node }) };
  }

  async pass(name: string): Promise<void> {
    this.baton.give(name);
    await this.#time.advance(10 * POLL_MS);
  }
}

describe("an executor whose engine lost the store and got it back", () => {
  it("LEASE-4 knows what another process took in meanwhile, and does not run it again", async () => {
    const relay = new Relay();
    const [one, two] = [await relay.open("one"), await relay.open("two")];
    await relay.pass("one");
    await one.executor.execute(numbered(1));
    await relay.pass("two");
    await expect(one.executor.execute(numbered(2))).rejects.toMatchObject({ code: "ENGINE_NOT_OWNER" });
    await (await two.executor.dispatch([after(2), after(3, 2)])).result();
    await relay.pass("one");
    expect([one.engine.isOwner, two.engine.isOwner]).toEqual([true, false]);
    await expect(one.executor.execute(after(3, 2))).rejects.toMatchObject({ code: "EPOCH_CONFLICT" });
    await expect(one.executor.dispatch([after(1), after(4)])).rejects.toMatchObject({ code: "EPOCH_CONFLICT" });
    expect(relay.noting.calls.map(([number]) => number)).toEqual([1, 2, 3]);
    await two.engine.close();
    await one.engine.close();
  });
});
