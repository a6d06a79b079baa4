// The words of a ledger: the happenings, and the claims about a run.

import type { Effect } from "../../src/rules/effect.ts";
import type { Outcome, Timer } from "../../src/rules/happening.ts";
import { stepName } from "../../src/state/names.ts";
import type { StepDetail } from "../../src/views/snapshot.ts";
import type { Event, Vote } from "../../src/journal/event.ts";
import type { FailureClass } from "../../src/model/failure.ts";
import type { Json } from "../../src/model/json.ts";
import { contentHash, durationMs, executionId } from "../../src/model/units.ts";
import { inlineValue, type Value } from "../../src/model/value.ts";
import type { Run } from "./run.ts";

const json = (word: string | undefined): Json => (word === undefined ? null : (JSON.parse(word) as Json));
const value = (word: string | undefined): Value =>
  word?.startsWith("sha256:") === true
    ? { kind: "stored", hash: contentHash(word), bytes: Number(word.split("/")[1] ?? 70_000) }
    : inlineValue(json(word));
const unquoted = (word = ""): string => word.replaceAll('"', "");
/** The value behind a word, as in `cancel abort grace 100`. */
const after = (words: readonly string[], word: string): string | undefined =>
  words.includes(word) ? words[words.indexOf(word) + 1] : undefined;

function readOutcome(run: Run, [kind = "", first, ...rest]: readonly string[]): Outcome {
  switch (kind) {
    case "ok":
      return { kind: "succeeded", output: value(first) };
    case "last":
      return { kind: "succeeded", output: value(first), isLast: true };
    case "fail": {
      const retryAfter = after(rest, "retry-after");
      const wait = retryAfter === undefined ? {} : { retryAfter: durationMs(Number(retryAfter)) };
      return {
        kind: "failed",
        failure: { class: first as FailureClass, code: "E", message: unquoted(rest[0] ?? "it broke"), ...wait },
      };
    }
    case "skip":
      return { kind: "skipped", message: unquoted(first) };
    case "expand":
      return run.extras.expansions![first!]!;
    default:
      throw new Error(`an attempt cannot end as \`${kind}\``);
  }
}

export const HAPPENINGS: Readonly<Record<string, (run: Run, words: readonly string[]) => void>> = {
  create: (run, [input]) =>
    run.take({
      kind: "create",
      execution: executionId("execution-1"),
      definition: contentHash("sha256:flow"),
      input: value(input),
      seed: 7,
      correlationId: "correlation-1",
    }),
  begin: (run) => run.take({ kind: "begin" }),
  start: (run, words) => {
    HAPPENINGS["create"]!(run, words);
    run.take({ kind: "begin" });
  },
  granted: (run, [step, where]) =>
    run.take({ kind: "granted", step: run.step(step!), ...(where === undefined ? {} : { worker: where }) }),
  ended: (run, [step, ...outcome]) => {
    const epoch = Number(after(outcome, "epoch") ?? run.epoch(step!));
    run.take({ kind: "ended", step: run.step(step!), epoch, outcome: readOutcome(run, outcome) });
  },
  /** Granted and ended at once. */
  ran: (run, words) => {
    HAPPENINGS["granted"]!(run, words.slice(0, 1));
    HAPPENINGS["ended"]!(run, words);
  },
  lost: (run, [step, ...rest]) => {
    const epoch = Number(after(rest, "epoch") ?? run.epoch(step!));
    run.take({ kind: "lost", step: run.step(step!), epoch, reason: "the process died" });
  },
  resolved: (run, [step, name]) =>
    run.take({ kind: "resolved", step: run.step(step!), definition: contentHash(name!) }),
  unresolved: (run, [step, message]) => {
    const failure = { class: "permanent", code: "E", message: unquoted(message) } as const;
    run.take({ kind: "unresolved", step: run.step(step!), failure });
  },
  signal: (run, [name, id, payload]) => run.take({ kind: "signalled", name: name!, id: id!, payload: value(payload) }),
  vote: (run, [step, id, by, verdict, comment]) => {
    const vote: Vote = { id: id!, by: by!, verdict: verdict as Vote["verdict"] };
    const said = comment === undefined ? {} : { comment: unquoted(comment) };
    run.take({ kind: "voted", step: step!, ...vote, ...said });
  },
  cancel: (run, [mode, ...rest]) => {
    const grace = after(rest, "grace");
    run.take({
      kind: "cancel",
      mode: mode === "drain" ? "drain" : "abort",
      reason: "enough",
      compensate: rest.includes("compensate"),
      ...(grace === undefined ? {} : { grace: durationMs(Number(grace)) }),
    });
  },
  pause: (run) => run.take({ kind: "pause" }),
  resume: (run) => run.take({ kind: "resume" }),
  park: (run, [reason]) => run.take({ kind: "park", cause: "journal-limit", reason: unquoted(reason) }),
  retry: (run, [what]) => run.take({ kind: "retry", ...(what === undefined ? {} : { [what]: true }) }),
  due: (run, words) => run.take({ kind: "due", timer: findTimer(run, words) }),
  later: (run, [ms]) => run.later(Number(ms)),
  load: (run, [hash]) => run.load(hash!),
  /** Counts one dependency too many, so that the step can never become ready. */
  miscounted: (run, [step]) => run.damage(({ columns }) => columns.unmet[run.step(step!)]!++),
};

function findTimer(run: Run, [kind, name, epoch]: readonly string[]): Timer {
  if (kind === "execution-deadline") return { kind };
  const step = run.step(name!);
  if (kind === "wait") return { kind, step };
  return { kind: kind as "backoff" | "attempt-deadline" | "grace-end", step, epoch: Number(epoch ?? run.epoch(name!)) };
}

const WHOLE: Readonly<Record<string, (run: Run) => unknown>> = {
  events: (run) => run.events.map((event) => event.kind).join(", "),
  effects: (run) => run.effects.map((effect) => effectText(run, effect)).join(", "),
  does: (run) => run.effects.map((effect) => effectText(run, effect)),
  answer: ({ answer }) => (answer.kind === "ignored" ? `ignored ${answer.reason} ${answer.status}` : answer.kind),
  needs: (run) => run.needs.join(", "),
  round: (run) => String(run.state.round),
  left: (run) =>
    notUndone(run.journal.at(-1))
      .map((step) => stepName(run.state, step))
      .join(", "),
  armed: (run) =>
    [...run.armed.values()]
      .map(({ timer, dueAt }) => timerText(run, timer, dueAt))
      .toSorted()
      .join(", "),
};

const ABOUT: Readonly<Record<string, (run: Run, step: string) => unknown>> = {
  because: (run, name) =>
    name === "execution" ? (run.state.failure?.failure.code ?? run.state.cancelling?.reason) : detailText(run, name),
  says: (run, name) => (name === "execution" ? run.state.failure?.failure.message : readMessage(run.detail(name))),
  attempt: (run, name) => String(run.state.columns.attempts[run.step(name)]),
  epoch: (run, name) => String(run.epoch(name)),
  unmet: (run, name) => String(run.state.columns.unmet[run.step(name)]),
};

const JSON_ABOUT: Readonly<Record<string, (run: Run, step: string) => unknown>> = {
  output: (run, name) => (name === "execution" ? run.state.result : run.output(name)),
  called: (run, name) => run.calls.get(run.step(name)),
};

/** A claim as two values to compare: the actual one, and the expected one. */
export function readClaim(run: Run, claim: string): readonly [found: unknown, wanted: unknown] {
  const [first = "", ...others] = claim.split(" ");
  const whole = WHOLE[first];
  if (first === "does") return [(whole!(run) as string[]).includes(others.join(" ")), true];
  if (whole !== undefined) return [whole(run), others.join(" ")];
  const [, names = "", verb = "", rest = ""] = /^((?:[\w/-]+, )*[\w/-]+) ([\w-]+) ?(.*)$/u.exec(claim) ?? [];
  const each = (view: (name: string) => unknown): unknown => names.split(", ").map(view);
  const all = (wanted: unknown): unknown => names.split(", ").map(() => wanted);
  const about = ABOUT[verb];
  if (about !== undefined) return [each((name) => about(run, name)), all(rest)];
  const asJson = JSON_ABOUT[verb];
  if (asJson !== undefined)
    return [each((name) => asJson(run, name)), all(names === "execution" ? inlineValue(json(rest)) : json(rest))];
  return [each((name) => run.status(name)), all(verb)];
}

/** The steps that an ended execution reports as not undone. */
const notUndone = (event: Event | undefined): readonly number[] =>
  event?.kind === "execution.failed" || event?.kind === "execution.cancelled" ? (event.notUndone ?? []) : [];

function effectText(run: Run, effect: Effect): string {
  switch (effect.kind) {
    case "arm":
      return `arm ${timerText(run, effect.timer, effect.dueAt)}`;
    case "disarm":
      return effect.timer === undefined ? "disarm" : `disarm ${timerText(run, effect.timer)}`;
    case "abort":
      return `abort ${stepName(run.state, effect.step)}${effect.force ? " by force" : ""}`;
    case "resolve-definition":
      return `resolve ${stepName(run.state, effect.step)} ${effect.workflow}`;
    case "admit":
    case "withdraw":
    case "release":
    case "run":
      return effect.step === undefined ? effect.kind : `${effect.kind} ${stepName(run.state, effect.step)}`;
  }
}

function timerText(run: Run, timer: Timer, dueAt?: number): string {
  const step = "step" in timer ? ` ${stepName(run.state, timer.step)}` : "";
  return `${timer.kind}${step}${dueAt === undefined ? "" : ` ${dueAt >= run.now ? "+" : ""}${dueAt - run.now}`}`;
}

function detailText(run: Run, name: string): string {
  const detail = run.detail(name);
  switch (detail.kind) {
    case "none":
    case "output":
      return detail.kind;
    case "failure":
      return detail.failure.code;
    case "wait":
      return detail.wait.kind === "signal" ? `signal ${detail.wait.signal}` : detail.wait.kind;
    case "stopping":
      return detail.kind;
    case "stopped":
      return detail.ended;
    case "skip": {
      const { reason } = detail;
      if (reason.kind === "dependency-failed") return `${reason.kind} ${stepName(run.state, reason.dependency)}`;
      return reason.kind === "fallback-unused" ? `${reason.kind} ${stepName(run.state, reason.primary)}` : reason.kind;
    }
  }
}

function readMessage(detail: StepDetail): string | undefined {
  if (detail.kind === "failure") return detail.failure.message;
  if (detail.kind === "stopping" || detail.kind === "stopped") return detail.reason;
  return detail.kind === "skip" && "message" in detail.reason ? detail.reason.message : undefined;
}
