// Codes of the outcomes of runners, and of the secrets that runners are given.

export const RUNNER_CODES = {
  COMMAND_FAILED: {
    meaning: "A command ended with an exit code other than 0.",
    remedy: "Read its output in the logs of the step. To have an exit code tried again, list it in `retry.exitCodes`.",
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
  HTTP_ADDRESS_REFUSED: {
    meaning: "An `http` step would have reached a private or local network.",
    remedy:
      "The execution is parked. If the step may reach that network, set the engine option `http: { allowPrivate: true }`. Otherwise cancel the execution.",
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
      "Set it in the environment or in the file of secrets, under the name that is shown, and resume the parked execution.",
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
