// Values in the URL of an `http` step, with a real server: a caller can choose neither host nor path.

import { ContractError } from "@segno/contract";
import type { Failure, Json } from "@segno/kernel";
import { expect, it } from "vitest";
import { serve } from "../http/local-server.ts";
import { contract, useFixture, findStep } from "./fixture.ts";

const fixture = useFixture();
const TOKEN = "the-real-token";
const OPTIONS = { http: { allowPrivate: true }, secrets: () => TOKEN };

const asking = (url: string): string =>
  `name: u\nsteps:\n  - { id: a, http: { url: "${url}", headers: { authorization: "\${ secrets.token }" } }, retry: { attempts: 3, base: 1ms } }\n`;

it("DATA-9 a value stays in its path segment or query parameter, and the secret goes to the contract's host", async () => {
  await using server = await serve((_, response) => void response.end("{}"));
  const input: Json = { id: "7/keys?all=1#x", q: "a&admin=1#+" };
  const url = `${server.url}/users/\${ input.id }?q=\${ input.q }`;
  await (await fixture.current.start(asking(url), OPTIONS, input)).result();
  expect(server.seen.map(({ path, headers }) => `${path} ${headers.authorization}`)).toEqual([
    `/users/7%2Fkeys%3Fall%3D1%23x?q=a%26admin%3D1%23%2B ${TOKEN}`,
  ]);
});

it.each(["..", "../internal/keys", "%2e%2e", "..%2finternal", "a\\..\\b", "a\nb", "."])(
  "DATA-9 HTTP_URL_VALUE %j in a path fails the step at once, and nothing is sent",
  async (id) => {
    await using server = await serve((_, response) => void response.end("{}"));
    const handle = await fixture.current.start(asking(`${server.url}/users/\${ input.id }`), OPTIONS, { id });
    const error: unknown = await handle.result().catch((thrown: unknown) => thrown);
    expect((error as { readonly failure: Failure }).failure).toMatchObject({
      class: "permanent",
      code: "HTTP_URL_VALUE",
      path: "url",
    });
    expect((await findStep(handle, "a")).attempts).toBeLessThan(2);
    expect(server.seen).toEqual([]);
  },
);

it("DATA-9 HTTP_ORIGIN_OPEN a contract whose caller could choose the receiver of a secret does not load", () => {
  for (const url of ["http://127.0.0.1${ input.path }", "${ input.server }/users", "${ input.url }"]) {
    let error: unknown;
    try {
      contract(asking(url));
    } catch (thrown) {
      error = thrown;
    }
    expect((error as ContractError).problems).toMatchObject([
      { code: "HTTP_ORIGIN_OPEN", line: 3, column: 27, hint: expect.stringContaining("https://host/${ … }") as string },
    ]);
  }
});
