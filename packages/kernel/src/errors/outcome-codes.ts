// Codes of the failures of steps and executions that the kernel decides.

export const OUTCOME_CODES = {
  INPUT_INVALID: {
    meaning: "An input does not fit its schema.",
    remedy: "Compare it with the schema; the message names the first path that does not fit.",
  },
  OUTPUT_INVALID: {
    meaning: "A step's output does not fit its schema.",
    remedy: "Correct the step or the schema; the message names the first path that does not fit.",
  },
  OUTPUT_NOT_JSON: {
    meaning: "A step returned something that is not JSON.",
    remedy: "Return plain objects, lists, strings, finite numbers, booleans and null; the message names the path.",
  },
  VALUE_TOO_LARGE: { meaning: "A value is larger than 10 MB.", remedy: "Store it elsewhere and return its location." },
  TEMPLATE_MISSING: {
    meaning: "A strict workflow read a value that does not exist.",
    remedy: "Give a default: `value || 'default'`.",
  },
  CAPTURE_NOT_A_LIST: {
    meaning: "An output cannot be appended, because its target is not a list.",
    remedy: "Use `merge: replace`, or another variable.",
  },
  CAPTURE_NOT_AN_OBJECT: {
    meaning: "An output cannot be merged, because it or its target is not an object.",
    remedy: "Use `merge: replace`, or return an object.",
  },
  MAP_NOT_A_LIST: {
    meaning: "The `over` of a map gave a value that is not a list.",
    remedy: "Make `over` give a list; `[]` for none.",
  },
  WAIT_TIME_INVALID: {
    meaning: "The `until` of a wait gave a value that is not a time.",
    remedy: "Give milliseconds since 1970 or an ISO time such as `2027-01-31T08:00:00Z`.",
  },
  SIGNAL_TIMEOUT: {
    meaning: "The signal that a step waited for did not arrive in time.",
    remedy: "Send it earlier, or give the step more time.",
  },
  SIGNAL_INVALID: {
    meaning: "A signal does not fit the schema of the step that waits for it.",
    remedy: "Send one that fits; the step still waits.",
  },
  APPROVAL_REJECTED: { meaning: "A person rejected an approval.", remedy: "Read the comment." },
  APPROVAL_EXPIRED: {
    meaning: "Nobody decided on an approval in time.",
    remedy: "Retry the execution, or give people more time.",
  },
  ATTEMPT_TIMEOUT: {
    meaning: "An attempt took longer than its timeout.",
    remedy: "Give it more time, or let the retry policy try again `on: [timeout]`.",
  },
  EXECUTION_TIMEOUT: {
    meaning: "An execution took longer than its workflow allows.",
    remedy: "Give it more time, or find the slow steps.",
  },
  EXPANSION_INVALID: {
    meaning: "A step returned steps that cannot be run.",
    remedy: "Read the problem that the message names.",
  },
  SCOPE_TOO_DEEP: {
    meaning: "Scopes nest too deeply: sub-workflows in maps in sub-workflows.",
    remedy: "Flatten them; 8 levels are allowed.",
  },
  SCOPE_FAILED: { meaning: "A child of a scope failed.", remedy: "Look at the child that the message names." },
  NOT_UNDONE: {
    meaning: "The execution ended before the compensation of a step had succeeded or failed.",
    remedy: "Read how the execution ended, and retry it with `undo`.",
  },
  DEADLOCK: {
    meaning: "No step can proceed, although some have not ended. The cause is a damaged journal or a bug.",
    remedy: "Report it with the journal.",
  },
  HTTP_URL_INVALID: {
    meaning: "The URL of an `http` step is not valid, holds a user name, or is neither http nor https.",
    remedy: "Correct it; give credentials in a header, from a secret.",
  },
  HTTP_URL_VALUE: {
    meaning:
      "A value does not fit into the URL of an `http` step: it would change its host, leave its path or leave a segment empty.",
    remedy: "Check the value where it comes from; a path of several segments needs an expression for each of them.",
  },
} as const;
