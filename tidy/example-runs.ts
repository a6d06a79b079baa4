// How each file of examples/ is run by someone who has installed the packages.

export type ExampleRun =
  /** `node <file>` ends with 0. */
  | { readonly kind: "program" }
  /** `segno run <file>` with these words; the file is a contract, or a module with a workflow. */
  | {
      readonly kind: "contract";
      readonly words?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      /** 0 when it is absent. */
      readonly exitCode?: number;
      /** Commands from another terminal, once the run says that it waits. Its execution has the id `example`. */
      readonly answers?: readonly (readonly string[])[];
    }
  /** `segno code run <file>` ends with 0. */
  | { readonly kind: "template" }
  /** It needs what is not here: people, servers, tools. It is planned only. */
  | { readonly kind: "planned" }
  /** Another example uses it. */
  | { readonly kind: "part" }
  /** It is wrong on purpose; the README shows how. */
  | { readonly kind: "invalid" };

const PROGRAM: ExampleRun = { kind: "program" };
const CONTRACT: ExampleRun = { kind: "contract" };
const PLANNED: ExampleRun = { kind: "planned" };
const PART: ExampleRun = { kind: "part" };

const withInput = (input: object, more: Partial<ExampleRun & { kind: "contract" }> = {}): ExampleRun => ({
  kind: "contract",
  words: ["--input", JSON.stringify(input)],
  ...more,
});

export const EXAMPLE_RUNS: Readonly<Record<string, ExampleRun>> = {
  "agent-loop/agent-loop.ts": PROGRAM,
  "approval/approval.ts": PROGRAM,
  "approval/approval.yaml": withInput(
    { tag: "v1" },
    { answers: ["ann", "bob"].map((by) => ["approve", "example", "ask", "--by", by]) },
  ),
  "barrier/barrier.ts": PROGRAM,
  "barrier/barrier.yaml": CONTRACT,
  "batch/batch.ts": PROGRAM,
  "batch/durable.ts": PROGRAM,
  "cancel/cancel.ts": PROGRAM,
  "ci/ci.yaml": withInput({ publish: true }, { env: { API_TOKEN: "correct-horse" } }),
  "clean-up/clean-up.yaml": withInput({ machine: "broken" }),
  "code/agent.mjs": PART,
  "code/feature.yaml": { kind: "template" },
  "code/shop/README.md": PART,
  "code/shop/package.json": PART,
  "code/shop/src/shop.ts": PART,
  "code/shop/test/shop.test.ts": PART,
  "coming-from/ci.yaml": CONTRACT,
  "coming-from/order.ts": PROGRAM,
  "conditions/conditions.yaml": withInput({ stock: 0 }),
  "durable/durable.ts": PROGRAM,
  "dynamic/dynamic.ts": PROGRAM,
  "dynamic/planner.ts": PART,
  "dynamic/tour.yaml": withInput({ stops: ["Lyon", "Turin"] }),
  "engines/durable.ts": PROGRAM,
  "engines/engines.ts": PROGRAM,
  "engines/primes.ts": PART,
  "etl/etl.ts": CONTRACT,
  "etl/rates.json": PART,
  "failure/failure.ts": PROGRAM,
  "fallback/fallback.yaml": CONTRACT,
  "fan-out/fan-out.yaml": CONTRACT,
  "hello/hello.yaml": withInput({ name: "Ada" }),
  "http/http.ts": PROGRAM,
  "http/http.yaml": PART,
  "invoice/invoice.ts": withInput({ customer: "Ada", lines: [] }),
  "invoice/start-invoices.ts": PROGRAM,
  "kernel/kernel.ts": PROGRAM,
  "launch/launch.yaml": PLANNED,
  "letters/addresses.txt": PART,
  "letters/letters.yaml": withInput({ to: ["Ada", "Alan"] }),
  "map/map.ts": PROGRAM,
  "map/map.yaml": withInput({ cities: ["Oslo", "Rome"] }),
  "mistakes.yaml": { kind: "invalid" },
  "mixed/mixed.ts": PROGRAM,
  "mixed/mixed.yaml": PART,
  "models/loop.ts": PROGRAM,
  "models/pipeline.ts": PROGRAM,
  "nightly/nightly.yaml": PLANNED,
  "onex/data-processing.yaml": CONTRACT,
  "onex/etl.yaml": CONTRACT,
  "onex/nodes.ts": PART,
  "order/order.test.ts": PART,
  "order/order.ts": withInput(
    { order: "A1", article: "kettle", amount: 60, price: 30, city: "Oslo" },
    {
      answers: [
        ["approve", "example", "approval", "--by", "ann"],
        ["signal", "example", "payment", "--payload", '{"amount":1800}'],
      ],
    },
  ),
  "order/warehouse.ts": PART,
  "parcels/order.ts": PROGRAM,
  "parcels/order.yaml": withInput({ customer: "Ada", things: ["a kettle", "tea"] }),
  "parcels/parcel.yaml": withInput({ what: "a kettle", to: "Ada" }),
  "planner/contract.ts": PROGRAM,
  "planner/planner.ts": PROGRAM,
  "publish/publish.yaml": PLANNED,
  "release/release.ts": PROGRAM,
  "release/release.yaml": CONTRACT,
  "repeat/repeat.ts": PROGRAM,
  "repeat/repeat.yaml": withInput({ replicas: 3 }),
  "resources/resources.yaml": CONTRACT,
  "review/review.yaml": PLANNED,
  "saga/booking.yaml": { kind: "contract", exitCode: 1, answers: [["cancel", "example", "--compensate"]] },
  "saga/saga.ts": PROGRAM,
  "saga/saga.yaml": { kind: "contract", exitCode: 1 },
  "secrets/secrets.yaml": { kind: "contract", env: { API_TOKEN: "correct-horse" } },
  "server/demo.ts": PROGRAM,
  "server/server.ts": PART,
  "signal/signal.ts": PROGRAM,
  "signal/signal.yaml": withInput(
    { order: "A1" },
    { answers: [["signal", "example", "paid", "--payload", '{"amount":30}']] },
  ),
  "sinks/sinks.ts": PROGRAM,
  "sleep/sleep.ts": PROGRAM,
  "sleep/sleep.yaml": withInput({ opens: "2026-01-01T09:00:00Z" }),
  "summaries/model-server.ts": PART,
  "summaries/summaries.ts": PROGRAM,
  "testing/refund.test.ts": PROGRAM,
  "testing/refund.ts": PART,
  "testing/trial.ts": PROGRAM,
  "threads/primes.ts": PART,
  "threads/threads.yaml": CONTRACT,
  "thumbnails/thumbnails.yaml": PLANNED,
  "trip/trip.yaml": PLANNED,
  "typescript/order.ts": withInput({ customer: "Ada", items: [{ name: "lamp", price: 60 }] }),
  "versions/versions.ts": PROGRAM,
  "welcome/start-welcome.ts": PROGRAM,
  "welcome/welcome.ts": withInput({ name: "Ada" }),
};
