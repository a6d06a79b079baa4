// The part of a state that the journal must restore, and the whole state, as plain data that can be compared.

import { PHASES } from "../../src/state/phase.ts";
import { stepCount, type State } from "../../src/state/state.ts";
import type { Json } from "../../src/index.ts";

/** S3 of the state: everything but the agenda, the queued steps and the prepared calls. */
export function durableState(state: State): Json {
  const size = stepCount(state);
  const { columns, signals } = state;
  return plain({
    seq: state.seq,
    at: state.at,
    created: state.created,
    startedAt: state.startedAt,
    deadline: state.deadline,
    base: state.baseStatus,
    hold: state.hold,
    round: state.round,
    failure: state.failure,
    cancelling: state.cancelling,
    result: state.result,
    regions: state.regions.map(({ program, ...region }) => ({
      ...region,
      steps: program.graph.ids,
      failedInstances: [...region.failedInstances].toSorted((a, b) => a - b),
      stoppingStep: region.stoppingStep,
    })),
    phase: [...columns.phase.subarray(0, size)].map((phase) => PHASES[phase]),
    unmet: [...columns.unmet.subarray(0, size)],
    attempts: [...columns.attempts.subarray(0, size)],
    epoch: [...columns.epoch.subarray(0, size)],
    began: [...columns.startedAt.subarray(0, size)],
    pastStarts: [...state.pastStarts],
    last: state.phaseEvents,
    calls: [...state.calls].toSorted(([a], [b]) => a - b),
    losses: [...state.losses],
    overdue: [...state.overdue],
    compensable: state.compensable,
    undoes: [...state.undoes],
    seen: [...signals.seen],
    pending: [...signals.pending],
    waiting: [...signals.waiting].map(([name, steps]) => [name, [...steps]]),
    refused: [...signals.refused],
    votes: [...state.votes],
    ballots: [...state.seenVotes],
    counts: [...state.counts],
  });
}

/** With the derived part. */
export function wholeState(state: State): Json {
  const { agenda } = state;
  return plain({
    durable: durableState(state),
    asked: [...state.columns.queued.subarray(0, stepCount(state))],
    askedCount: state.queuedCount,
    prepared: [...state.preparedCalls],
    ready: agenda.ready.toArray(),
    broken: agenda.blockedSteps.toArray(),
    unused: agenda.unneededFallbacks.toArray(),
    failed: agenda.failed.toArray(),
    settled: agenda.settledRegions.toArray(),
    matchSignals: agenda.matchSignals,
  });
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
