// Codes of the failures of steps and executions that the kernel decides.

export const OUTCOME_CODES = {
  INPUT_INVALID: {
    meaning: "An input does not fit its schema.",
    remedy: "Compare it with the schema; the message names the first path that does not fit.",
  },
  OUTPUT_INVALID: {
    meaning: "A step's output does not fit its schema.",
    remedy:
      "Correct the step or the schema; the message names the first path that does not fit. If another attempt may give another answer, as with a model, retry it: `retry: { on: [transient, schema] }`.",
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
    meaning: "The `over` of a map, or a list of its matrix, evaluated to a value that is not a list.",
    remedy: "Write an expression that evaluates to a list; without items, the list is `[]`.",
  },
  MATRIX_TOO_LARGE: {
    meaning: "The lists of a map's matrix have too many combinations.",
    remedy: "Shorten the lists; at most 10,000 items are allowed. A list that a step makes can have more.",
  },
  UNTIL_NOT_BOOLEAN: {
    meaning: "The `until` of a repeat evaluated to a value that is neither true nor false.",
    remedy: "Write a comparison, such as `last.done == `true``; a missing value is null.",
  },
  REPEAT_LIMIT: {
    meaning: "The `until` of a repeat was not true after its largest number of iterations.",
    remedy: "Find out why it is not true, or set a larger `max`; a retry continues for as many iterations again.",
  },
  WAIT_TIME_INVALID: {
    meaning: "The `until` of a wait evaluated to a value that is not a time.",
    remedy: "Use milliseconds since 1970, or an ISO time such as `2027-01-31T08:00:00Z`.",
  },
  SIGNAL_TIMEOUT: {
    meaning: "The signal that a step waited for did not arrive in time.",
    remedy: "Send it earlier, or give the step more time.",
  },
  SIGNAL_INVALID: {
    meaning: "A signal does not fit the schema of the step that waits for it.",
    remedy: "Send a signal with a valid payload; the step still waits.",
  },
  ANSWER_INVALID: {
    meaning: "The answer of a vote does not fit the schema of the approval.",
    remedy: "Vote again, under a new id and with a valid answer; the step still waits.",
  },
  APPROVAL_REJECTED: {
    meaning: "A person rejected an approval.",
    remedy: "Read the comment of the vote in the message.",
  },
  APPROVAL_EXPIRED: {
    meaning: "An approval expired before its quorum was reached.",
    remedy: "Retry the execution, or set a longer `expires`.",
  },
  ATTEMPT_TIMEOUT: {
    meaning: "An attempt took longer than its timeout.",
    remedy: "Set a longer `timeout`, or retry timeouts: `retry: { on: [transient, timeout] }`.",
  },
  EXECUTION_TIMEOUT: {
    meaning: "An execution took longer than its workflow allows.",
    remedy: "Set a longer `timeout` of the workflow, or find the slow steps.",
  },
  EXPANSION_INVALID: {
    meaning: "A step returned steps that cannot run.",
    remedy: "Correct the problem that the message names.",
  },
  SCOPE_TOO_DEEP: {
    meaning: "Scopes, such as maps and sub-workflows, are nested too deeply.",
    remedy: "Flatten them; 8 levels are allowed. For a loop, use `repeat` instead of a workflow that calls itself.",
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
    remedy: "Check the source of the value. A path of several segments needs one expression for each segment.",
  },
} as const;
