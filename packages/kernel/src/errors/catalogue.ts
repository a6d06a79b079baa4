// Every code that Segno can utter, with what it means and what to do about it (docs/reference/errors.md is made from it).
//
// A code never changes its meaning. Codes of a definition's problems, of faults and of failed steps stand in one list,
// because people look them up in one place.

export const CATALOGUE = {
  // Problems of a definition, found before anything runs.
  DUPLICATE_STEP: {
    meaning: "Two steps have the same id.",
    remedy: "Give each step its own id; names may repeat, ids may not.",
  },
  UNKNOWN_DEPENDENCY: {
    meaning: "A step depends on an id that no step has.",
    remedy: "Correct the id, or declare the step.",
  },
  DEPENDENCY_CYCLE: {
    meaning: "Steps depend on each other in a circle, so none of them could start.",
    remedy: "Remove one of the dependencies on the path that is shown.",
  },
  DEFINITION_INVALID: {
    meaning: "A definition cannot be compiled.",
    remedy: "Validate it first; the message names its first problem.",
  },
  STEP_ID_INVALID: {
    meaning: "A step's id has characters that an expression could not name.",
    remedy: "Use a letter or `_`, then letters, digits, `_` and `-`.",
  },
  UNKNOWN_FALLBACK: {
    meaning: "A step names a fallback that does not exist.",
    remedy: "Correct the id, or declare the step.",
  },
  FALLBACK_SHARED: {
    meaning: "One step is the fallback of two others.",
    remedy: "Copy the fallback under another id: it stands in for one step only.",
  },
  FALLBACK_DEPENDS: {
    meaning: "A fallback has dependencies of its own.",
    remedy: "Remove them; a fallback starts when its primary fails and sees what its primary sees.",
  },
  FALLBACK_NEEDED: {
    meaning: "A step depends on a fallback by the fallback's own id.",
    remedy: "Depend on the primary; its output is the fallback's when that one ran.",
  },
  UNKNOWN_RESOURCE: {
    meaning: "A step asks for a resource that the workflow does not have.",
    remedy: "Correct the name, or declare the resource.",
  },
  RESOURCE_TOO_LARGE: {
    meaning: "A step asks for more of a resource than there is, and would wait for ever.",
    remedy: "Ask for less, or raise the capacity.",
  },
  UNKNOWN_SECRET: {
    meaning: "A step asks for a secret that the workflow does not declare.",
    remedy: "Add it to the workflow's `secrets`.",
  },
  UNKNOWN_RESULT: {
    meaning: "A map names a result that is none of its steps.",
    remedy: "Name one of the map's own steps.",
  },
  UNKNOWN_STEP: {
    meaning: "An expression reads a step that does not exist.",
    remedy: 'Correct the id; an id with a hyphen is quoted: `steps."build-a"`.',
  },
  UNKNOWN_ROOT: {
    meaning: "An expression begins with a word that is no root of the context.",
    remedy: "Begin with `input`, `steps`, `variables` or `execution`.",
  },
  ROOT_NOT_HERE: {
    meaning: "An expression reads a root that does not exist at this place.",
    remedy: "Read the hint: `previous` needs one dependency, `item` and `index` a map.",
  },
  READ_TOO_EARLY: {
    meaning: "An expression reads what nothing makes ready before the step starts.",
    remedy: "Add the dependency that the hint shows.",
  },
  SECRET_MISPLACED: {
    meaning: "A secret is used where its value would be written down or computed with.",
    remedy: "Use it as a whole value of `input`, `env` or a header.",
  },
  SCRIPT_TEMPLATE: {
    meaning: "A `run` script holds an expression, but `${\u2026}` there belongs to the shell.",
    remedy: "Pass the value by `env`, or use `exec`.",
  },
  TEMPLATE_UNCLOSED: { meaning: "A `${` has no `}`.", remedy: "Close it, or write `$${` for a literal `${`." },
  TEMPLATE_TOO_DEEP: { meaning: "A template nests too deeply.", remedy: "Flatten it; 64 levels are allowed." },
  FORBIDDEN_KEY: {
    meaning: "A key could reach a prototype: `__proto__`, `constructor` or `prototype`.",
    remedy: "Use another key.",
  },
  VARIABLE_PATH_INVALID: {
    meaning: "Something that should be a path of variables is not.",
    remedy: "Write it as `variables.name` or `variables.group.name`.",
  },
  VARIABLE_READ_ONLY: {
    meaning: "A read-only variable would be written.",
    remedy: "Write elsewhere, or take the path off `readOnly`.",
  },
  CAPTURE_IN_SCOPE: {
    meaning: "A step inside a map or another scope writes a variable.",
    remedy: "Use the scope's output instead: it is the list of its children's.",
  },
  // Expressions.
  EXPRESSION_SYNTAX: {
    meaning: "An expression is not JMESPath.",
    remedy: "Correct it at the place that is shown; docs/reference/expressions.md has the language.",
  },
  EXPRESSION_TOO_LONG: {
    meaning: "An expression is longer than 4,096 characters.",
    remedy: "Split it over several steps, or compute it in one.",
  },
  EXPRESSION_TOO_DEEP: {
    meaning: "An expression nests too deeply.",
    remedy: "Split it, for example with `let`, or compute it in a step.",
  },
  EXPRESSION_UNKNOWN_FUNCTION: {
    meaning: "An expression calls a function that does not exist.",
    remedy: "Use one of the functions in docs/reference/expressions.md.",
  },
  EXPRESSION_ARITY: {
    meaning: "A function is called with too few or too many arguments.",
    remedy: "Give it the arguments that the message names.",
  },
  EXPRESSION_TYPE: {
    meaning: "A function or operator got a value of the wrong type.",
    remedy: "Convert the value, or guard against null with `not_null`.",
  },
  EXPRESSION_VALUE: {
    meaning: "A value has the right type but cannot be used: a slice step of 0, a division by zero.",
    remedy: "Guard against that value.",
  },
  EXPRESSION_UNDEFINED_VARIABLE: {
    meaning: "An expression reads a `$variable` that no `let` binds.",
    remedy: "Bind it, or correct its name.",
  },
  EXPRESSION_FUEL: {
    meaning: "An expression needs more work or makes more output than is allowed.",
    remedy: "Select less before computing, or move the work into a step.",
  },
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
  DEADLOCK: {
    meaning:
      "Nothing can move any more, though not everything has ended. It can only come from a damaged journal or a bug.",
    remedy: "Report it with the journal.",
  },

  // Problems of a contract: the document itself, before it is a definition.
  CONTRACT_INVALID: {
    meaning: "A contract has problems; the error lists all of them.",
    remedy: "Correct each problem at the line and column that it names.",
  },
  CONTRACT_UNREADABLE: {
    meaning: "The contract's file cannot be read.",
    remedy: "Check the path and the permissions; name a file, not a folder.",
  },
  CONTRACT_TOO_LARGE: {
    meaning: "The document is larger than a reader accepts: bytes, words, values or aliases.",
    remedy: "Split the workflow, or move data out of it.",
  },
  CONTRACT_TOO_DEEP: {
    meaning: "Lists and maps stand too deep inside each other.",
    remedy: "Flatten the document; the limit is in the message.",
  },
  CONTRACT_ENCODING: {
    meaning: "The document is not UTF-8 text.",
    remedy: "Save it as UTF-8 without control characters.",
  },
  CONTRACT_EMPTY: { meaning: "The document has no content.", remedy: "Start with `name:` and `steps:`." },
  CONTRACT_SYNTAX: {
    meaning: "The document is not well-formed YAML or JSON.",
    remedy: "Correct the text at the place that is shown; indentation and quotes are the usual causes.",
  },
  YAML_REFUSED: {
    meaning:
      "The document uses a part of YAML that contracts do not have: tags, merge keys, directives, several documents, or an alias without a value.",
    remedy: "Write the value out.",
  },
  DUPLICATE_KEY: { meaning: "A map has the same key twice.", remedy: "Remove one of them." },
  KEY_INVALID: {
    meaning: "A key is not text, or not a name that is possible there.",
    remedy: "Put it in quotes, or rename it.",
  },
  VALUE_NOT_JSON: {
    meaning: "A value cannot be kept as JSON: an infinite number, one that would be rounded, or broken text.",
    remedy: "Write it as text, in quotes.",
  },
  UNKNOWN_KEY: {
    meaning: "A key is not one of those that are known there.",
    remedy: "Correct its spelling, or move it to where it belongs.",
  },
  MISSING_KEY: { meaning: "A key that has to be there is missing.", remedy: "Add it." },
  WRONG_TYPE: {
    meaning: "A value has another type than its key takes.",
    remedy: "Write what the message says was expected.",
  },
  WRONG_VALUE: {
    meaning: "A value has the right type but is not one that its key takes.",
    remedy: "Write what the message says was expected.",
  },
  OUT_OF_RANGE: {
    meaning: "A number, a length or a duration is too small or too large.",
    remedy: "Stay within the range that the message names.",
  },
  KEYS_CONFLICT: {
    meaning: "A key makes no sense beside, or without, another one.",
    remedy: "Add the missing key, or remove this one.",
  },
  ACTION_MISSING: {
    meaning: "A step, a wait or a compensation does not say what to do.",
    remedy: "Add exactly one of the keys that are listed.",
  },
  ACTION_AMBIGUOUS: {
    meaning: "A step, a wait or a compensation says two things to do.",
    remedy: "Keep one; make a second step of the other.",
  },
  SCHEMA_INVALID: {
    meaning: "A schema in the contract is not a valid JSON Schema.",
    remedy: "Correct it; draft 2020-12 holds unless `$schema` says draft-07.",
  },
  SCHEMA_REFERENCE: {
    meaning: "A schema refers to something outside itself, or to nothing.",
    remedy: "Copy the definition into `$defs` and refer to it as `#/$defs/name`.",
  },
  SCHEMA_PATTERN: {
    meaning: "A pattern in a schema is not a regular expression that always ends in linear time.",
    remedy: "Use RE2 syntax: no look-ahead and no back-references.",
  },
  // Faults of the command.
  INPUT_UNREADABLE: {
    meaning: "The file that `--input @file` names cannot be read.",
    remedy: "Check the path and the permissions; name a file, not a folder.",
  },
  GRAPH_TOO_LARGE: {
    meaning: "A graph has too many steps or dependencies to be drawn.",
    remedy: "Use `--format dot` or `--format json`, or draw a part of it.",
  },
  // Faults of the store.
  STORE_FULL: {
    meaning: "The disk, or the file's allowed size, is full.",
    remedy: "Make room; the engine goes on by itself.",
  },
  STORE_IO: {
    meaning: "The store could not be read or written.",
    remedy: "Look at the disk; the engine tries again by itself.",
  },
  STORE_BUSY: { meaning: "Somebody else holds the store.", remedy: "Wait, or end the other process." },
  STORE_READ_ONLY: {
    meaning: "The store cannot be written to.",
    remedy: "Check permissions, or open it `readOnly` on purpose.",
  },
  STORE_FENCED: {
    meaning: "An execution was changed by a newer owner; what the old one wanted to write was refused.",
    remedy: "Nothing: the newer owner goes on with it.",
  },
  STORE_CORRUPT: {
    meaning: "A file is no Segno store, or is damaged.",
    remedy: "Restore a backup; `verify` names what is damaged.",
  },
  STORE_VERSION: {
    meaning: "A store was written by a newer Segno.",
    remedy: "Use a version of Segno that is at least as new.",
  },
  STORE_CLOSED: {
    meaning: "The store was used after it was closed.",
    remedy: "Keep the engine open as long as it is used.",
  },
  // The engine.
  WORKFLOW_UNKNOWN: {
    meaning: "A workflow is named that nobody has registered.",
    remedy: "Register it with the engine: `Engine.open({ workflows })`.",
  },
  IDEMPOTENCY_KEY_INVALID: {
    meaning: "An idempotency key has the wrong form.",
    remedy: "Use 1 to 255 of A-Z, a-z, 0-9 and hyphen.",
  },
  IDEMPOTENCY_CONFLICT: {
    meaning: "An idempotency key is in use with another payload.",
    remedy: "Use another key, or the same workflow and input.",
  },
  OPTION_INVALID: {
    meaning: "An option is out of its range.",
    remedy: "The message says what is allowed.",
  },
  EXECUTION_UNFINISHED: {
    meaning: "What was asked for can only be done to an execution that has ended.",
    remedy: "Cancel it, or wait for its end.",
  },
  STORE_UNSUPPORTED: {
    meaning: "The store cannot do what was asked of it.",
    remedy: "Use a store that can, or the tools that come with this one.",
  },
  NAME_INVALID: {
    meaning: "An id, a correlation id, or the name of a workflow or a signal holds what not every store can keep.",
    remedy: "Use text without U+0000 and without halves of surrogate pairs.",
  },
  INBOX_FULL: {
    meaning: "So many messages wait for an execution that no more are taken.",
    remedy: "Post again later; if none are taken, see whether a process owns the store.",
  },
  EXECUTION_UNKNOWN: {
    meaning: "There is no execution with this id.",
    remedy: "Check the id; `list` shows those there are.",
  },
  EXECUTION_EXISTS: {
    meaning: "There is an execution with this id already.",
    remedy: "Leave the id out, or use another.",
  },
  EXECUTION_FAILED: {
    meaning: "An execution failed.",
    remedy: "Look at its failure, which names the step; `retry` opens a new round.",
  },
  EXECUTION_CANCELLED: { meaning: "An execution was cancelled.", remedy: "Start a new one." },
  ENGINE_CLOSED: { meaning: "The engine was used after it was closed.", remedy: "Keep it open as long as it is used." },
  ENGINE_NOT_OWNER: {
    meaning: "Another process owns the store, and this was asked of a process that only reads.",
    remedy: "Open the engine without `readOnly`, or ask the owner.",
  },
  STORE_EXISTS: {
    meaning: "An import or a backup would overwrite what is there.",
    remedy: "Choose another place, or remove what is there first.",
  },
  EXPORT_INVALID: {
    meaning: "What should be imported is no export, was cut, or was changed.",
    remedy: "Export it again.",
  },
  CURSOR_INVALID: {
    meaning: "A cursor is not one that a list gave back.",
    remedy: "Begin without a cursor, and go on with the one that comes with each page.",
  },
} as const;

export type ErrorCode = keyof typeof CATALOGUE;
