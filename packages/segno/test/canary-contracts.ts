// Contracts in which every kind of step has secrets and does everything that it should not do with them, and the programs
// that they run. Whoever gets a secret notes its hash, so that it can be told that it was the real one.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Prints each secret in many forms, whole and in small pieces, and notes what it got. */
const ECHO = `
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
const write = (stream, bytes) => new Promise((resolve) => stream.write(bytes, resolve));
const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
const [label] = process.argv.slice(2);
for (const [name, value] of Object.entries(process.env).filter(([each]) => each.startsWith("CANARY_"))) {
  appendFileSync("received", label + " " + createHash("sha256").update(value).digest("hex") + "\\n");
  const bytes = Buffer.from(value);
  const forms = [
    value, JSON.stringify({ value }), JSON.stringify(JSON.stringify(value)), encodeURIComponent(value),
    new URLSearchParams({ value }).toString(), bytes.toString("hex"), bytes.toString("hex").toUpperCase(),
    ...["", "x", "xy"].flatMap((before) => ["base64", "base64url"].map((kind) => Buffer.from(before + value + "z").toString(kind))),
  ];
  await write(process.stdout, forms.join("\\n") + "\\n");
  await write(process.stderr, forms.join("\\n") + "\\n");
  for (const text of [bytes, Buffer.from(bytes.toString("base64"))])
    for (let at = 0; at < text.length; at += 5) {
      await write(at % 2 === 0 ? process.stdout : process.stderr, "");
      await write(process.stdout, text.subarray(at, at + 5));
      if (at % 20 === 0) await pause();
    }
  await write(process.stdout, "\\n");
}
`;

const SAY = `
for value in "$CANARY_PLAIN" "$CANARY_QUOTED" "$CANARY_LINES" "$CANARY_WIDE" "$CANARY_URL"; do
  [ -n "$value" ] || continue
  echo "$1 $(printf %s "$value" | sha256sum | cut -c1-64)" >> received
  printf '%s\\n' "$value"; printf '%s\\n' "$value" >&2
  printf %s "$value" | base64; printf %s "$value" | base64 >&2
  printf %s "$value" | od -An -tx1 | tr -d ' \\n'; echo
done
`;

/** Functions that use secrets, for a module in this thread or in another. */
const AGENTS = `
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
const note = (label, values) => {
  for (const value of values)
    appendFileSync("received", label + " " + createHash("sha256").update(value).digest("hex") + "\\n");
};
const listValues = ({ secrets, input }) => [...Object.values(secrets), input.given];
export function tells(input, context) {
  const values = listValues(context);
  note(context.step.id, values);
  for (const value of values) {
    context.log.info(value);
    context.log.warn({ value, [value]: 1, deep: { list: [value] }, error: new Error(value), bytes: Buffer.from(value) }, "it is " + value);
    context.log.child({ value }).error(Buffer.from(value).toString("base64"));
  }
  return {
    given: input.given,
    values,
    keys: Object.fromEntries(values.map((value) => [value, "is a key"])),
    json: JSON.stringify({ values }),
    base64: values.map((value) => Buffer.from("x" + value).toString("base64")),
    url: values.map(encodeURIComponent),
    hex: values.map((value) => Buffer.from(value).toString("hex")),
  };
}
export function throws(input, context) {
  const values = listValues(context);
  note(context.step.id, values);
  const cause = Object.assign(new Error(JSON.stringify(values)), { code: values[0] });
  throw Object.assign(new TypeError("failed with " + values.join(" and "), { cause }), { name: values[0] });
}
export function prints(input, context) {
  for (const value of listValues(context)) {
    console.log(value);
    console.error({ value });
    process.stdout.write(value.slice(0, 7));
    process.stdout.write(value.slice(7) + "\\n");
  }
  return tells(input, context);
}
`;

const ENV = `{ CANARY_PLAIN: "\${ secrets.plain }", CANARY_QUOTED: "\${ secrets.quoted }", CANARY_LINES: "\${ secrets.lines }", CANARY_WIDE: "\${ secrets.wide }", CANARY_URL: "\${ secrets.url }" }`;
const ALL = "[plain, quoted, lines, wide, url]";
const HEADERS = `{ authorization: "\${ secrets.plain }", x-quoted: "\${ secrets.quoted }", x-url: "\${ secrets.url }" }`;
const ONCE = "onError: continue, retry: 1";

/** All kinds of steps in one execution that completes. */
const EVERYTHING = `
name: everything
concurrency: 6
agents:
  tells: { module: ./agents.mjs, export: tells }
  prints: { module: ./agents.mjs, export: prints }
  throws: { module: ./agents.mjs, export: throws }
  tells-there: { module: ./agents.mjs, export: tells, thread: true }
  throws-there: { module: ./agents.mjs, export: throws, thread: true }
  prints-there: { module: ./agents.mjs, export: prints, thread: true }
steps:
  - { id: exec, exec: ["\${ input.node }", echo.mjs, exec], env: ${ENV} }
  - { id: run, run: "sh ./say.sh run", env: ${ENV} }
  - { id: failing, run: "sh ./say.sh failing >&2; exit 3", env: ${ENV}, ${ONCE} }
  - id: retried
    run: sh ./say.sh retried; [ "$SEGNO_ATTEMPT" = 2 ] || exit 75
    env: ${ENV}
    retry: { attempts: 2, base: 10ms }
  - id: late
    run: "[ ! -e was-late ] || { rm was-late; exit 1; }; sh ./say.sh late; touch was-late; sleep 1000"
    env: ${ENV}
    timeout: 1s
    # On a slow machine its time is over before it has said anything.
    retry: { attempts: 1000, base: 1ms, factor: 1, on: [timeout] }
    onError: continue
  - { id: http, http: { url: "SERVER/echo", headers: ${HEADERS} } }
  - { id: http-refused, http: { url: "SERVER/refuse", headers: ${HEADERS} }, ${ONCE} }
  - { id: http-problem, http: { url: "SERVER/problem", headers: ${HEADERS} }, ${ONCE} }
  - { id: http-redirected, http: { url: "SERVER/redirect", headers: ${HEADERS} } }
  - { id: http-unsendable, http: { url: "SERVER/echo", headers: { x-lines: "\${ secrets.lines }" } }, ${ONCE} }
  - { id: module, agent: tells, secrets: ${ALL}, input: { given: "\${ secrets.wide }" } }
  - { id: module-prints, agent: prints, secrets: ${ALL}, input: { given: "\${ secrets.quoted }" } }
  - { id: module-throws, agent: throws, secrets: ${ALL}, input: { given: "\${ secrets.lines }" }, ${ONCE} }
  - { id: thread, agent: tells-there, secrets: ${ALL}, input: { given: "\${ secrets.quoted }" } }
  - { id: thread-prints, agent: prints-there, secrets: ${ALL}, input: { given: "\${ secrets.quoted }" } }
  - { id: thread-throws, agent: throws-there, secrets: ${ALL}, input: { given: "\${ secrets.url }" }, ${ONCE} }
  - id: each
    map: { over: "[\`1\`, \`2\`]", steps: [{ id: item, run: "sh ./say.sh item", env: ${ENV} }] }
  - { id: primary, run: "sh ./say.sh primary >&2; exit 1", env: ${ENV}, retry: 1, fallback: standby }
  - { id: standby, run: "sh ./say.sh standby", env: ${ENV} }
  - { id: leaves, run: 'printf %s "$CANARY_LINES$CANARY_WIDE$CANARY_PLAIN" > left; printf %s "$CANARY_QUOTED" | base64 >> left', env: ${ENV} }
  - { id: finds, run: "cat left; cat left >&2", dependsOn: [leaves] }
  - id: downstream
    exec: [printf, "%s", "\${ steps.run.output.stdout }", "\${ steps.module.output.values[0] }", "\${ steps.primary.output.stdout }"]
    dependsOn: [run, module, primary, each, http]
    when: contains(steps.run.output.stdout, 'canary') || steps.http.output.status == \`200\`
    output: { select: "stdout", to: variables.said }
output:
  said: \${ variables.said }
  exec: \${ steps.exec.output }
  http: \${ steps.http.output }
  module: \${ steps.module.output }
  thread: \${ steps.thread.output }
  each: \${ steps.each.output }
  finds: \${ steps.finds.output }
  errors: ["\${ steps.failing.error }", '\${ steps."thread-throws".error }']
`;

/** Steps that are stopped, and steps that are undone. */
const UNDONE = `
name: undone
onFailure: compensate
grace: 2s
steps:
  - id: makes
    run: sh ./say.sh makes
    env: ${ENV}
    compensate: { run: "sh ./say.sh undo; sh ./say.sh undo >&2; exit 1", env: ${ENV}, retry: 1 }
  - id: holds
    run: |
      trap 'sh ./say.sh stopped; exit 1' TERM
      sh ./say.sh holds
      while :; do sleep 0.02 || :; done
    env: ${ENV}
    dependsOn: [makes]
  - id: breaks
    run: while ! grep -q holds received; do sleep 0.02; done; sh ./say.sh breaks >&2; exit 4
    env: ${ENV}
    dependsOn: [makes]
    retry: 1
`;

/** The process is killed while \`holds\` does; the next one goes on. */
const CRASHED = `
name: crashed
steps:
  - { id: leaves, run: 'printf "%s\\n" "$CANARY_PLAIN" "$CANARY_LINES" "$CANARY_WIDE" > left', env: ${ENV} }
  - id: holds
    run: |
      sh ./say.sh holds
      echo up >> up
      [ -e go ] || while [ -e say.sh ]; do sleep 0.02; done
    env: ${ENV}
    dependsOn: [leaves]
  - { id: finds, run: "cat left; cat left >&2; exit 75", dependsOn: [holds], onError: continue, retry: { attempts: 2, base: 1ms } }
output: \${ steps.holds.output }
`;

const FILES: Readonly<Record<string, string>> = {
  "echo.mjs": ECHO,
  "say.sh": SAY,
  "agents.mjs": AGENTS,
  "everything.yaml": EVERYTHING,
  "undone.yaml": UNDONE,
  "crashed.yaml": CRASHED,
};

/** The server stands in the contract: a step with a secret does not take it from its input. */
export function writeContracts(folder: string, server: string = "http://127.0.0.1:1"): void {
  for (const [name, text] of Object.entries(FILES))
    writeFileSync(join(folder, name), text.replaceAll('"SERVER/', `"${server}/`));
}
