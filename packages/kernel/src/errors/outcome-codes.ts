// Codes of what steps and executions end with.

export const OUTCOME_CODES = {
  // Failures of steps and executions.
  INPUT_INVALID: {
    meaning: "An input does not fit its schema.",
    remedy: "Compare it with the schema; the message names the first place that does not fit.",
  },
  OUTPUT_INVALID: {
    meaning: "A step's output does not fit its schema.",
    remedy: "Correct the step or the schema; the message names the first place that does not fit.",
  },
  OUTPUT_NOT_JSON: {
    meaning: "A step returned something that is not JSON.",
    remedy: "Return plain objects, lists, strings, finite numbers, booleans and null; the message names the place.",
  },
  VALUE_TOO_LARGE: { meaning: "A value is larger than 10 MB.", remedy: "Store it elsewhere and return where it is." },
  TEMPLATE_MISSING: {
    meaning: "A strict workflow read a value that does not exist.",
    remedy: "Give a default: `value || 'default'`.",
  },
  CAPTURE_NOT_A_LIST: {
    meaning: "An output should be appended to something that is no list.",
    remedy: "Use `merge: replace`, or another variable.",
  },
  CAPTURE_NOT_AN_OBJECT: {
    meaning: "An output should be merged, but it or its target is no object.",
    remedy: "Use `merge: replace`, or return an object.",
  },
  MAP_NOT_A_LIST: {
    meaning: "A map got something that is no list.",
    remedy: "Make `over` give a list; `[]` for none.",
  },
  WAIT_TIME_INVALID: {
    meaning: "A step should wait until something that is no time.",
    remedy: "Give milliseconds since 1970 or an ISO time such as `2027-01-31T08:00:00Z`.",
  },
  SIGNAL_TIMEOUT: {
    meaning: "The signal that a step waited for did not come in time.",
    remedy: "Send it earlier, or give the step more time.",
  },
  SIGNAL_INVALID: {
    meaning: "A signal does not fit the schema of the step that waits for it.",
    remedy: "Send one that fits; the step goes on waiting.",
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
    remedy: "Give it more time, or look at what was slow.",
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
    meaning: "A step was to be undone, and the execution ended before that could fail or succeed.",
    remedy: "Look at how the execution ended; `segno retry --undo` tries the undoing again.",
  },
  DEADLOCK: {
    meaning:
      "Nothing can move any more, though not everything has ended. It can only come from a damaged journal or a bug.",
    remedy: "Report it with the journal.",
  },

  // Outcomes of what runners run.
  COMMAND_FAILED: {
    meaning: "A command ended with an exit code other than 0.",
    remedy: "Read its output with `segno logs`. To have an exit code tried again, list it in `retry.exitCodes`.",
  },
  COMMAND_KILLED: {
    meaning: "A command was ended by a signal that Segno did not send.",
    remedy: "See who sent it; a system that runs out of memory sends SIGKILL.",
  },
  COMMAND_NOT_FOUND: {
    meaning: "There is no such program.",
    remedy: "Install it, correct its name, or give its path; only `PATH` and what the step's `env` says are searched.",
  },
  COMMAND_NOT_EXECUTABLE: {
    meaning: "The file is there but may not be executed.",
    remedy: "Make it executable with `chmod +x`, or call its interpreter.",
  },
  COMMAND_INVALID: {
    meaning: "A command cannot be started as it stands: an argument is no text, or the whole is too long.",
    remedy: "Give text, numbers or booleans; pass what is large by a file.",
  },
  HTTP_STATUS: {
    meaning: "A server answered an `http` step with a status of 400 or more.",
    remedy: "Read the message; 408, 425, 429 and 500 and above are tried again, others are not.",
  },
  HTTP_FAILED: {
    meaning: "An `http` step could not be sent, or got no answer that can be read.",
    remedy: "The message and the cause say why: a header, name, connection, certificate, time or content.",
  },
  HTTP_URL_INVALID: {
    meaning: "The URL of an `http` step is none, or holds a user name, or is neither http nor https.",
    remedy: "Correct it; give credentials in a header, from a secret.",
  },
  HTTP_URL_VALUE: {
    meaning:
      "A value does not fit into the URL of an `http` step: it would change its host, leave its path or leave a segment empty.",
    remedy: "Check the value where it comes from; a path of several segments needs an expression for each of them.",
  },
  HTTP_ADDRESS_REFUSED: {
    meaning: "An `http` step would have reached a private or local network.",
    remedy:
      "The execution is parked. If that is wanted, allow it: `segno work --allow-private-network`, or `http: { allowPrivate: true }` of the engine. Otherwise cancel it.",
  },
  HTTP_REDIRECTS: {
    meaning: "A server redirected an `http` step more often than is followed, or from https to http.",
    remedy: "Name the address where the answer is.",
  },
  HTTP_TIMEOUT: {
    meaning: "An `http` step without a `timeout` took longer than the whole conversation may take.",
    remedy: "Give the step a `timeout`, or raise `http: { limits: { totalMs } }` of the engine.",
  },
  HTTP_TOO_LARGE: {
    meaning: "The answer to an `http` step is larger than is read.",
    remedy: "Ask for less, or fetch it with a command that writes a file.",
  },
  AGENT_MODULE_INVALID: {
    meaning: "The module of an agent cannot be loaded, or does not export a function under that name.",
    remedy: "Correct `module` or `export`; paths are relative to the contract.",
  },
  THREAD_ENDED: {
    meaning: "The thread of an agent ended before its function did.",
    remedy: "See whether it called `process.exit` or ran out of memory.",
  },
  SECRET_MISSING: {
    meaning: "Nobody knows a secret that a step asks for.",
    remedy:
      "Set it in the environment or in the file of secrets, under the name that is shown. A parked execution goes on with `segno work --secrets <file>`, or when it is resumed.",
  },
  SECRET_TOO_SHORT: {
    meaning: "A secret has fewer than six characters, so that masking it would mask ordinary text.",
    remedy: "Use a longer one; what is shorter is none.",
  },
  SECRET_INVALID: {
    meaning: "A secret, or the file that secrets are read from, cannot be used: too large, no text, or no such lines.",
    remedy: "The message says which, and in what line; a file of secrets has lines of the form `NAME=value`.",
  },
  SECRET_UNAVAILABLE: {
    meaning: "Whoever gives out secrets could not be asked.",
    remedy: "The cause says why; it is tried again.",
  },
} as const;
