// A folder of its own for tests of the command, with a few workflows in it that need nothing but time and signals.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { runSegno, RunningSegno, type SegnoRun, type SegnoRunOptions } from "./run-segno.ts";

/** Contracts by their file. What they do is over in a moment, or never unless somebody says so. */
const CONTRACTS: Readonly<Record<string, string>> = {
  "quick.yaml": `
name: quick
steps:
  - { id: first, wait: { for: 20ms } }
  - { id: second, wait: { for: 20ms }, dependsOn: [first] }
output: { done: "\${ input.name || 'nobody' }" }
`,
  "failing.yaml": `
name: failing
steps:
  - { id: first, wait: { for: 10ms } }
  - { id: gate, wait: { signal: go, timeout: 30ms }, dependsOn: [first] }
  - { id: after, wait: { for: 10ms }, dependsOn: [gate] }
`,
  "endless.yaml": `
name: endless
steps:
  - { id: gate, wait: { signal: never } }
  - { id: after, wait: { for: 10ms }, dependsOn: [gate] }
`,
  "chatty.yaml": `
name: chatty
steps:
  - { id: gate, run: "echo hello; exec sleep 60" }
`,
  "forked.yaml": `
name: forked
steps:
  - id: fork
    run: |
      trap '' TERM
      setsid sh -c 'trap "" TERM; sleep 1000' </dev/null >/dev/null 2>&1 &
      echo pids $$ $!
      sleep 1000
`,
  "lively.yaml": `
name: lively
steps:
${Array.from({ length: 40 }, (_, index) => `  - { id: s${index}, wait: { for: 20ms }${index === 0 ? "" : `, dependsOn: [s${index - 1}]`} }`).join("\n")}
`,
  "patient.yaml": `
name: patient
timeout: 50ms
steps:
  - { id: gate, wait: { signal: never } }
`,
  "strict.yaml": `
name: strict
input: { type: object, required: [tag], properties: { tag: { type: string } } }
steps:
  - { id: first, wait: { for: 10ms } }
`,
};

export class CommandFixture implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(content: "contracts" | "empty" = "contracts"): Promise<CommandFixture> {
    const folder = await mkdtemp(join(tmpdir(), "segno-command-"));
    if (content === "empty") return new CommandFixture(folder);
    for (const [file, text] of Object.entries(CONTRACTS)) await writeFile(join(folder, file), text);
    return new CommandFixture(folder);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  run(words: readonly string[], options: SegnoRunOptions = {}): Promise<SegnoRun> {
    return runSegno(words, { folder: this.folder, ...options });
  }

  start(words: readonly string[], options: SegnoRunOptions = {}): RunningSegno {
    return new RunningSegno(words, { folder: this.folder, ...options });
  }

  /** Runs it and reads what it printed. */
  async json<Value>(...words: readonly string[]): Promise<Value> {
    return JSON.parse((await this.run([...words, "--json"])).stdout) as Value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The output of `list --json`, as far as tests read it. */
export interface Listing {
  readonly executions: readonly { readonly id: string; readonly status: string; readonly workflow: string }[];
}
