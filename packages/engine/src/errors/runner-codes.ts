// Codes of the outcomes of runners, and of the secrets that runners are given.

export const RUNNER_CODES = {
  COMMAND_FAILED: {
    meaning: "A command ended with an exit code other than 0.",
    remedy: "Read its output in the logs of the step. To retry after an exit code, list it in `retry.exitCodes`.",
  },
  COMMAND_KILLED: {
    meaning: "A signal that Segno did not send killed a command.",
    remedy: "Find out which process sent the signal. A system that runs out of memory sends SIGKILL.",
  },
  COMMAND_NOT_FOUND: {
    meaning: "The program of a command does not exist.",
    remedy:
      "Install it, correct its name, or write its path. Segno searches only the folders in `PATH`, which the step's `env` can set.",
  },
  COMMAND_NOT_EXECUTABLE: {
    meaning: "The program of a command exists but is not executable.",
    remedy: "Make it executable with `chmod +x`, or call its interpreter.",
  },
  COMMAND_FOLDER_MISSING: {
    meaning: "The working directory of a command does not exist, or is not a folder.",
    remedy:
      "Correct `cwd`, which is relative to the working directory of Segno, or create the folder in an earlier step.",
  },
  ARTIFACT_NOT_FOUND: {
    meaning: "No file matches an artifact pattern of a step, or an execution has no such artifact.",
    remedy: "Correct the pattern, which is relative to the `cwd` of the step; list the artifacts of the execution.",
  },
  ARTIFACT_REFUSED: {
    meaning:
      "A file that matches an artifact pattern is a link, lies outside the working directory, or is not a regular file.",
    remedy: "Copy the file into the working directory, or narrow the pattern.",
  },
  ARTIFACT_TOO_LARGE: {
    meaning: "The artifacts of a step have more files or more bytes than allowed.",
    remedy:
      "Narrow the patterns, pack the files into one, or raise `limits.artifactFiles` or `limits.artifactBytes` of the engine.",
  },
  ARTIFACT_NOT_KEPT: {
    meaning: "The system could not copy an artifact; the step is tried again.",
    remedy: "Free space on the disk, and check the permissions of the folder of artifacts beside the store.",
  },
  COMMAND_INVALID: {
    meaning: "A command cannot be started: an argument is not text, or the command line is too long.",
    remedy: "Pass text, numbers or booleans; pass large data in a file.",
  },
  PROCESS_NOT_STARTED: {
    meaning:
      "The system did not start a process that an agent wanted to own, for example because memory or processes ran out.",
    remedy: "Read the cause and try again later.",
  },
  ATTEMPT_NOT_RUNNING: {
    meaning:
      "A program used a context of an attempt that has ended, or passed a context to `engine.extensions` that is not that of a running attempt on the main thread.",
    remedy:
      "Use the context only until the agent or the handler has returned; an agent on a worker thread cannot own processes.",
  },
  CONDITION_NOT_BOOLEAN: {
    meaning: "The function of a condition returned something other than true or false.",
    remedy: "Return a comparison, for example `outputs.check !== null`, and await promises.",
  },
  CALL_INVALID: {
    meaning: "A recorded call has no usable name, function or options, or its attempt cannot make recorded calls.",
    remedy: "Read the message. A name is text of 1 to 200 characters without `#`.",
  },
  STREAM_INVALID: {
    meaning: "A function streamed something that is not text.",
    remedy: "Call `stream(text)` with a string; for a value, use `log` or the output of the step.",
  },
  PROGRESS_INVALID: {
    meaning:
      "A function reported progress that is neither a number from 0 to 1 nor counts with `done` at most `total`.",
    remedy: "Call `progress(0.4)` or `progress({ done, total, message })`.",
  },
  CALL_TIMEOUT: {
    meaning: "One try of a recorded call took longer than its `timeout`.",
    remedy: "Raise the `timeout` of the call, or give it a `retry`.",
  },
  CALLS_LIMIT: {
    meaning: "An attempt made more recorded calls than `limits.recordedCalls` allows.",
    remedy: "Split the step, use `map`, or raise the limit.",
  },
  HTTP_STATUS: {
    meaning: "A server answered an `http` step with a status of 400 or more.",
    remedy: "Read the message; 408, 425, 429 and 500 and above are retried, others are not.",
  },
  HTTP_FAILED: {
    meaning: "The request of an `http` step could not be sent, or its response could not be read.",
    remedy:
      "Read the message and the cause. The reason can be a header, the host name, the connection, the certificate, a time limit or the content.",
  },
  HTTP_ADDRESS_REFUSED: {
    meaning: "An `http` step would have reached a private or local network.",
    remedy:
      "The execution is parked. If the step may reach that network, set the engine option `http: { allowPrivate: true }`. Otherwise cancel the execution.",
  },
  HTTP_REDIRECTS: {
    meaning: "A server redirected an `http` step too often, or from https to http.",
    remedy: "Use the final address in the step.",
  },
  HTTP_TIMEOUT: {
    meaning: "An `http` step without a `timeout` took longer than the default limit of a request.",
    remedy: "Give the step a `timeout`, or raise `http: { limits: { totalMs } }` of the engine.",
  },
  HTTP_TOO_LARGE: {
    meaning: "The response to an `http` step is larger than the limit.",
    remedy: "Request less, or fetch it with a command that writes a file.",
  },
  AGENT_MODULE_INVALID: {
    meaning: "The module of an agent cannot be loaded, or does not export a function under that name.",
    remedy: "Correct `module` or `export`; paths are relative to the contract.",
  },
  AGENT_MODULE_MISSING: {
    meaning:
      "This process does not find the file or the package of an agent's module. The execution is parked: another process may have it.",
    remedy:
      "Resume the execution from the folder that it was started in, or install the package. If the contract names a wrong module, cancel the execution and correct `module`.",
  },
  THREAD_EXITED: {
    meaning: "The thread of an agent ended before its function did.",
    remedy: "Check whether it called `process.exit` or ran out of memory.",
  },
  SECRET_MISSING: {
    meaning: "No source has a secret that a step uses.",
    remedy:
      "Set it in the environment or in the file of secrets, under the name in the message, and resume the parked execution.",
  },
  SECRET_TOO_SHORT: {
    meaning: "A secret has fewer than six characters, so masking it would mask ordinary text.",
    remedy: "Use a secret of at least 6 characters.",
  },
  SECRET_INVALID: {
    meaning:
      "A secret, or the file that secrets are read from, cannot be used: it is too large, is not text, or has invalid lines.",
    remedy: "The message names the secret or the line; a file of secrets has lines of the form `NAME=value`.",
  },
  SECRET_UNAVAILABLE: {
    meaning: "The source of secrets could not be reached.",
    remedy: "Read the cause; the engine tries again.",
  },
} as const;
