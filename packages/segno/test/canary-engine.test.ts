// The canary by the engine (DATA-9): functions with secrets, and everything that an engine can be asked.

import { readFileSync } from "node:fs";
import { skip, type EngineOptions, type StepContext } from "@segno/engine";
import { expect, it } from "vitest";

import { useCanaryFixture, ended, start, until } from "./canary-fixture.ts";
import { hitsIn, SECRETS } from "./canary-secrets.ts";

const fixture = useCanaryFixture();
const values = ({ secrets }: StepContext): readonly string[] => Object.values(secrets);

const ALL = `secrets: [${Object.keys(SECRETS).join(", ")}]`;
const FUNCTIONS = `
name: functions
steps:
  - { id: returns, agent: returns, ${ALL}, input: { given: "\${ secrets.plain }" } }
  - { id: throws, agent: throws, ${ALL}, onError: continue, retry: { attempts: 2, base: 1ms } }
  - { id: rejects, agent: rejects, ${ALL}, onError: continue, retry: 1 }
  - { id: skips, agent: skips, ${ALL} }
  - { id: late, agent: late, ${ALL}, onError: continue, timeout: 30ms, retry: 1 }
  - { id: after, agent: takes, dependsOn: [returns], input: "\${ steps.returns.output }" }
`;

/** Functions that misuse secrets; `late` waits until its attempt was abandoned. */
function agents(received: unknown[], givenUp: Promise<void>): NonNullable<EngineOptions["agents"]> {
  return {
    returns: (input, context) => {
      received.push(input, ...values(context));
      for (const value of values(context)) {
        context.log.info({ value, deep: [{ value }], [value]: true, error: new Error(value) }, `it is ${value}`);
        context.log.child({ value }).warn(JSON.stringify({ value }));
      }
      return { input, values: values(context), text: JSON.stringify(values(context)) };
    },
    throws: (_, context) => {
      const cause = new Error(values(context)[2]);
      throw Object.assign(new Error(values(context).join(), { cause }), { code: values(context)[0] });
    },
    // Anything may be thrown.
    rejects: (_, context) => Promise.reject(values(context).join(" ")),
    skips: (_, context) => skip(values(context).join(" ")),
    late: async (_, context) => {
      await givenUp;
      context.log.error(values(context).join(" "));
      return values(context);
    },
    takes: (input) => input,
  };
}

it("DATA-9 no secret that functions had is in what the engine says, logs or keeps, and they had the real ones", async () => {
  const received: unknown[] = [];
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<void>();
  const engine = await fixture.current.open({ agents: agents(received, givenUp) });
  const lines: string[] = [];
  const events: unknown[] = [];
  engine.onLog({}, (_, written) => void lines.push(...written.map(({ text }) => text)));
  engine.subscribe({}, (batch) => void events.push(...batch.events));
  const handle = await start(engine, FUNCTIONS);
  expect(await ended(handle)).toBe("completed");
  giveUp();
  await new Promise((resolve) => setImmediate(resolve));
  expect(await fixture.current.hits(engine, handle)).toEqual([]);
  expect([...hitsIn("onLog", lines.join("\n")), ...hitsIn("subscribe", JSON.stringify(events))]).toEqual([]);
  expect(received).toEqual([{ given: SECRETS["plain"] }, ...Object.values(SECRETS)]);
  expect(lines.join("\n")).toContain("***");
  expect(fixture.current.log.text).toContain("***");
});

it("DATA-9 nothing shows while a step waits for another try, is stopped, or is undone", async () => {
  const engine = await fixture.current.open();
  const env = `env: { T: "\${ secrets.plain }", U: "\${ secrets.quoted }" }`;
  const waiting = await start(
    engine,
    `name: w\nsteps:\n  - { id: a, run: 'printf "%s\\n" "$T $U" >&2; exit 75', ${env}, retry: { attempts: 2, base: 1h, max: 1h } }\n`,
  );
  const loop = "echo > up; while :; do sleep 0.01 || :; done";
  const stopped = await start(
    engine,
    `name: s\nsteps:\n  - { id: a, run: 'trap "echo $T >&2; exit 1" TERM; printf "%s\\n" "$U"; ${loop}', ${env} }\n`,
  );
  const undone = await start(engine, readFileSync(fixture.current.path("undone.yaml"), "utf8"));
  await fixture.current.appears("up");
  await until(async () => (await engine.why(waiting.id, "a"))[0]?.reason.kind === "backoff");
  const why = await engine.why(waiting.id);
  expect(JSON.stringify(why)).toContain("***");
  await waiting.cancel();
  await stopped.cancel();
  const ends = [await ended(waiting), await ended(stopped), await ended(undone)];
  expect(ends).toEqual(["cancelled", "cancelled", "failed"]);
  expect(hitsIn("why", JSON.stringify(why))).toEqual([]);
  for (const handle of [waiting, stopped, undone]) expect(await fixture.current.hits(engine, handle)).toEqual([]);
});

it("DATA-9 a classifier of a user sees the error as it was, and nobody behind it does", async () => {
  const seen: string[] = [];
  const engine = await fixture.current.open({
    agents: { throws: (_, context) => Promise.reject(new Error(`no: ${values(context)[0]!}`)) },
    failures: {
      classify: (error) => void seen.push((error as Error).message),
      resolve: ({ message }) => (seen.push(message), "fail"),
    },
  });
  const handle = await start(engine, "name: f\nsteps: [{ id: a, agent: throws, secrets: [plain] }]\n");
  expect(await ended(handle)).toBe("failed");
  expect(seen).toEqual([`no: ${SECRETS["plain"]!}`, "no: ***"]);
  expect(await fixture.current.hits(engine, handle)).toEqual([]);
});
