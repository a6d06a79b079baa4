// A stand-in for the API of a language model, as a local HTTP server. It behaves as such APIs do: it refuses some calls with 429 and
// `Retry-After`, it sometimes answers with JSON that misses a key, and its large model is down for one of the articles.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the server has done, by kind of answer. */
export interface Answers {
  calls: number;
  tooMany: number;
  misfits: number;
  errors: number;
}

export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  readonly answers: Readonly<Answers>;
}

interface Request {
  readonly model: "large" | "small";
  readonly article: number;
}

export async function openModelServer(): Promise<ModelServer> {
  const answers: Answers = { calls: 0, tooMany: 0, misfits: 0, errors: 0 };
  const seen = new Set<number>();

  const answer = ({ model, article }: Request, response: ServerResponse): void => {
    const isFirst = !seen.has(article);
    seen.add(article);
    answers.calls++;
    if (isFirst && article % 9 === 4) {
      answers.tooMany++;
      response.writeHead(429, { "retry-after": "1" }).end();
    } else if (model === "large" && article === 12) {
      answers.errors++;
      response.writeHead(503).end();
    } else if (isFirst && article % 6 === 5) {
      answers.misfits++;
      response.end(JSON.stringify({ text: `Article ${article}, in short` })); // without `keywords`
    } else {
      response.end(
        JSON.stringify({ text: `Article ${article}, in short`, keywords: ["news", `topic-${article % 3}`] }),
      );
    }
  };

  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => answer(JSON.parse(body) as Request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    answers,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
