import type { HttpApiError } from "@effect/platform"

/**
 * Turns the issues of decoding into messages. Each message names a field by its path on the wire, or the body, and
 * repeats no value that was sent. The platform's own messages end in `, actual <value>` and would send client secrets
 * back. `repeated`: the query parameters that the request has more than once. A schema sees such a parameter as an
 * array and would report, for example, that it must be a string. `mayBeCut`: whether the request may have more issues
 * than `all`.
 */
export const messages = (
  all: ReadonlyArray<Issue>,
  repeated: ReadonlySet<PropertyKey> = new Set(),
  mayBeCut = false
): ReadonlyArray<string> => {
  const issues = all.map((issue) =>
    issue.path.length === 1 && issue.path.some((name) => repeated.has(name))
      ? { ...issue, message: "must not be repeated" }
      : issue
  )
  const texts = problems(issues).map(({ field, message }) => `${field === "" ? "the body" : field} ${message}`)
  const least = mayBeCut ? "at least " : ""
  return texts.length <= MAX ? texts : [...texts.slice(0, MAX), `and ${least}${texts.length - MAX} more`]
}

/** Like `messages`, but each message comes with its field, for a form that shows the message beside the field. */
export const problems = (all: ReadonlyArray<Issue>): ReadonlyArray<FieldProblem> => {
  const issues = all.filter((issue) => !isOtherBranch(issue, all))
  const byPath = new Map<string, Array<string>>()
  for (const issue of issues) {
    const path = pathOf(issue.path)
    const parts = byPath.get(path)
    const part = partOf(issue)
    if (parts === undefined) byPath.set(path, [part])
    else if (!parts.includes(part)) parts.push(part)
  }
  return Array.from(byPath, ([field, parts]) => ({ field, message: join(parts) }))
}

export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/**
 * Whether another issue is about a part of the same value, and is therefore more exact. A wrong value that may also be
 * null gives such a pair: one issue for the wrong field, and one for the whole value ("must be … or null").
 */
const isOtherBranch = ({ message, path }: Issue, all: ReadonlyArray<Issue>): boolean =>
  message.startsWith(EXPECTED) &&
  all.some((other) => other.path.length > path.length && path.every((key, index) => other.path[index] === key))

type Issue = HttpApiError.HttpApiDecodeError["issues"][number]

/** One answer, or one page, names at most this number of faults. */
export const MAX = 50

const pathOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    ""
  )

const EXPECTED = "Expected "

const partOf = ({ _tag, message }: Issue): string => {
  if (_tag === "Missing") return "is missing"
  if (_tag === "Unexpected") return "is not expected"
  if (!message.startsWith(EXPECTED)) return message.includes(", actual ") ? "is not valid" : message
  const cut = message.indexOf(", actual ")
  return EXPECTED + typeName(message.slice(EXPECTED.length, cut === -1 ? undefined : cut))
}

const typeName = (schema: string): string => {
  const expected = schema.replace(/ \((?:Encoded|Type) side\)$/, "").replace(/ & Brand<"\w+">/g, "")
  switch (expected) {
    case "string":
      return "a string"
    case "number":
    case "a finite number":
      return "a number"
    case "an integer":
      return "a whole number"
    case "boolean":
      return "true or false"
    case "object":
      return "an object"
  }
  if (/^(?:readonly \[|ReadonlyArray<|NonEmptyArray<|an array|minItems|maxItems)/.test(expected)) return "an array"
  // The name of a schema, such as `Struct` or `PlaceRule`, is internal, so the message says “an object” instead.
  if (/^(?:[{(]|[A-Z]\w*$)/.test(expected)) return "an object"
  return expected
}

/** A union reports one issue for each of its alternatives; the message joins them: "must be a string or null". */
const join = (parts: ReadonlyArray<string>): string => {
  const sentences = parts.filter((part) => !part.startsWith(EXPECTED))
  if (sentences.length > 0) return sentences.join(", ")
  const kinds = Array.from(new Set(parts.map((part) => part.slice(EXPECTED.length))))
  const last = kinds.at(-1) ?? ""
  return `must be ${kinds.length > 1 ? `${kinds.slice(0, -1).join(", ")} or ${last}` : last}`
}
