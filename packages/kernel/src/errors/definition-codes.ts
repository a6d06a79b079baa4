// Codes of the problems of a definition, which are found before anything runs.

export const DEFINITION_CODES = {
  OUT_OF_RANGE: {
    meaning: "A number, a length or a duration is too small or too large.",
    remedy: "Stay within the range that the message names.",
  },
  DUPLICATE_STEP: {
    meaning: "Two steps have the same id.",
    remedy: "Give each step its own id; names may repeat, ids may not.",
  },
  UNKNOWN_DEPENDENCY: {
    meaning: "A step depends on an id that no step has.",
    remedy: "Correct the id, or declare the step.",
  },
  DEPENDENCY_CYCLE: {
    meaning: "Steps depend on each other in a cycle, so none of them could start.",
    remedy: "Remove one of the dependencies on the path in the message.",
  },
  WORKFLOW_CYCLE: {
    meaning: "Workflows call each other in a cycle, so an execution could never end.",
    remedy: "Remove one of the calls on the path in the message, or give it a `when`.",
  },
  DEFINITION_INVALID: {
    meaning: "A definition cannot be compiled.",
    remedy: "Validate it first; the message names its first problem.",
  },
  STEP_ID_INVALID: {
    meaning:
      "A step's id has characters that are not allowed, or is `compensate`, which is reserved for the compensation of a step.",
    remedy: "Use a letter or `_`, then letters, digits, `_` and `-`.",
  },
  UNKNOWN_FALLBACK: {
    meaning: "A step names a fallback that does not exist.",
    remedy: "Correct the id, or declare the step.",
  },
  FALLBACK_SHARED: {
    meaning: "One step is the fallback of two others.",
    remedy: "Copy the fallback under another id: a fallback belongs to one step only.",
  },
  FALLBACK_DEPENDS: {
    meaning: "A fallback has dependencies of its own.",
    remedy: "Remove them; a fallback starts when its primary fails, and can read the same values as its primary.",
  },
  FALLBACK_NEEDED: {
    meaning: "A step depends on a fallback by the fallback's own id.",
    remedy: "Depend on the primary; if the fallback ran, the primary's output is the fallback's output.",
  },
  UNKNOWN_RESOURCE: {
    meaning: "A step requires a resource that the workflow does not declare.",
    remedy: "Correct the name, or declare the resource.",
  },
  RESOURCE_TOO_LARGE: {
    meaning: "A step requires more of a resource than exists, and would wait forever.",
    remedy: "Require less, or raise the capacity.",
  },
  UNKNOWN_SECRET: {
    meaning: "A step uses a secret that the workflow does not declare.",
    remedy: "Add it to the workflow's `secrets`.",
  },
  UNKNOWN_RESULT: {
    meaning: "The `result` of a map or a repeat is not one of its steps.",
    remedy: "Name one of its own steps.",
  },
  REPEAT_ENDLESS: {
    meaning: "A repeat has neither `until` nor `max`, so it would never end.",
    remedy: "Write the condition that ends it as `until`, or the number of iterations as `max`.",
  },
  APPROVAL_INVALID: {
    meaning:
      "An approval can never succeed: it has no voters, names a voter twice, or its quorum is less than 1 or larger than the number of voters.",
    remedy: "Name each voter once, and set a quorum from 1 to the number of voters; without `by`, everybody may vote.",
  },
  WAIT_INVALID: {
    meaning: "A step waits for a duration that is not valid, or for a signal whose name is not valid.",
    remedy: "Use a duration from 0 ms to 90,000,000 days, and a name of letters, digits, `_`, `.` and `-`.",
  },
  UNKNOWN_STEP: {
    meaning: "An expression reads a step that does not exist.",
    remedy: 'Correct the id; an id with a hyphen is quoted: `steps."build-a"`.',
  },
  UNKNOWN_ROOT: {
    meaning: "An expression begins with a word that is not a root of the context.",
    remedy: "Begin with `input`, `steps`, `variables` or `execution`.",
  },
  ROOT_NOT_HERE: {
    meaning: "An expression reads a root that is not available at this place.",
    remedy: "Read the hint: `previous` needs one dependency, `item` and `index` a map.",
  },
  READ_TOO_EARLY: {
    meaning: "An expression reads a value that may not exist yet when the step starts.",
    remedy: "Add the dependency that the hint shows.",
  },
  WRITES_UNORDERED: {
    meaning: "Two steps write the same variable, and no dependency defines which of them comes first.",
    remedy: "Add the dependency that the hint shows, or let both `append` to the variable, or both `merge` into it.",
  },
  HTTP_ORIGIN_OPEN: {
    meaning:
      "In the URL of an `http` step, a value would determine which server gets a secret, or would be only a part of the host.",
    remedy: "Write scheme, host and port literally, with a `/` before the first value.",
  },
  SECRET_MISPLACED: {
    meaning: "A secret is used where its value would be stored, or inside a longer expression.",
    remedy: "Use it as a whole value of `input`, `env` or a header.",
  },
  SCRIPT_TEMPLATE: {
    meaning: "A script of `run`, or code that `exec` passes to a shell or an interpreter, contains an expression.",
    remedy: "Pass the value by `env`, or as an argument after the code.",
  },
  TEMPLATE_UNCLOSED: { meaning: "A `${` has no `}`.", remedy: "Close it, or write `$${` for a literal `${`." },
  TEMPLATE_TOO_DEEP: { meaning: "A template nests too deeply.", remedy: "Flatten it; 64 levels are allowed." },
  FORBIDDEN_KEY: {
    meaning: "A key could reach a prototype: `__proto__`, `constructor` or `prototype`.",
    remedy: "Use another key.",
  },
  VARIABLE_PATH_INVALID: {
    meaning: "A path of variables is not valid.",
    remedy: "Write it as `variables.name` or `variables.group.name`.",
  },
  VARIABLE_READ_ONLY: {
    meaning: "A step writes a read-only variable.",
    remedy: "Write to another variable, or remove the path from `readOnly`.",
  },
  CAPTURE_IN_SCOPE: {
    meaning: "A step inside a map or another scope writes a variable.",
    remedy: "Use the output of the scope instead: the list of its children's outputs.",
  },
  UNKNOWN_FIELD: {
    meaning:
      "An expression reads a field that its value can never have, by the schema or the fixed fields of that value.",
    remedy: "Correct the name, or declare it: in `properties`, or with `additionalProperties: true`.",
  },
  UNKNOWN_VARIABLE: {
    meaning: "An expression reads a variable that the workflow does not declare and no step writes.",
    remedy: "Correct the name, declare it under `variables`, or write it with `output: { to: variables.name }`.",
  },
  FIXED_COMPARISON: {
    meaning:
      "A condition has the same result for all values: the schema excludes the value or its type, or the condition is constant text.",
    remedy: "Compare with a value that is possible; write numbers and booleans in backticks.",
  },
  EXPRESSION_SYNTAX: {
    meaning: "An expression is not JMESPath.",
    remedy: "Correct it at the position in the message; docs/reference/expressions.md describes the language.",
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
    remedy: "Pass as many arguments as the message says.",
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
    meaning: "An expression needs more work, or produces more output, than allowed.",
    remedy: "Select less before computing, or move the work into a step.",
  },
} as const;
