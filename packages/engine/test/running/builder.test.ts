// Commands and requests in workflows built in TypeScript: shell(), exec() and http().

import { describe, expect, expectTypeOf, it } from "vitest";
import { exec, http, shell, workflow, type CommandOutput, type HttpOutput } from "../../src/index.ts";
import { serve } from "../http/local-server.ts";
import { useFixture, findStep } from "./fixture.ts";

const fixture = useFixture();

describe("a built workflow", () => {
  it("CONTRACT-1 DATA-3 runs commands and requests, and their outputs have types", async () => {
    await using server = await serve((request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ price: Number(request.headers["x-size"]) * 2 }));
    });
    const quote = workflow<{ readonly name: string }>("quote")
      .step("measure", shell('printf %s "$NAME" | wc -c | tr -d " "', { env: { NAME: "${ input.name }" } }))
      .step("repeat", { dependsOn: ["measure"] }, exec(["echo", "${ steps.measure.output.stdout }", 7, true]))
      .step(
        "ask",
        { dependsOn: ["measure"] },
        http<{ readonly price: number }>({
          url: `${server.url}/price`,
          headers: { "x-size": "${ steps.measure.output.stdout }" },
        }),
      )
      .step("sum", { dependsOn: ["ask", "repeat"] }, ({ outputs: { ask, repeat } }) => {
        expectTypeOf(ask).toEqualTypeOf<HttpOutput<{ readonly price: number }>>();
        expectTypeOf(repeat).toEqualTypeOf<CommandOutput>();
        return { price: ask.body.price, said: repeat.stdout };
      })
      .output(({ outputs: { sum, measure } }) => ({ ...sum, length: measure.stdout, code: measure.exitCode }));
    const engine = await fixture.current.open({ http: { allowPrivate: ["127.0.0.1"] } });
    const result = await (await engine.start(quote, { name: "segno" })).result();
    expectTypeOf(result).toEqualTypeOf<{ length: string; code: number; price: number; said: string }>();
    expect(result).toEqual({ price: 10, said: "5 7 true", length: "5", code: 0 });
  });

  it("DATA-1 DATA-9 gives secrets to the commands and functions that request them, and to no others", async () => {
    const seen: unknown[] = [];
    const built = workflow("secretive")
      .step(
        "command",
        { secrets: ["token"] },
        shell('printf %s "$T" | wc -c | tr -d \' \'; printf %s "$T"', { env: { T: "${ secrets.token }" } }),
      )
      .step("asks", { secrets: ["token"] }, ({ secrets }) => void seen.push(secrets["token"]))
      .step("does-not", ({ secrets }) => void seen.push(Object.keys(secrets)))
      .output(({ outputs }) => outputs.command.stdout);
    const engine = await fixture.current.open({ secrets: (name) => (name === "token" ? "tok-123456789" : undefined) });
    const handle = await engine.start(built);
    expect(await handle.result()).toBe("13\n***");
    expect(seen).toEqual(expect.arrayContaining(["tok-123456789", []]));
  });

  it("FAIL-8 compensates a command with a command", async () => {
    const built = workflow("undone", { onFailure: "compensate" })
      .step("make", shell("echo made >> story; echo 42"))
      .compensate("make", shell('echo "unmade $WHAT" >> story', { env: { WHAT: "${ steps.make.output.stdout }" } }))
      .step("break", { dependsOn: ["make"], retry: 1 }, shell("exit 1"));
    const engine = await fixture.current.open();
    const handle = await engine.start(built);
    await expect(handle.result()).rejects.toMatchObject({ failure: { code: "COMMAND_FAILED" } });
    expect(fixture.current.lines("story")).toEqual(["made", "unmade 42"]);
    expect((await findStep(handle, "make/compensate")).status).toBe("succeeded");
  });
});
