import { type Effect, Either, ParseResult, type Schema } from "effect"
import * as ListLengths from "./ListLengths.js"

type Decoded<A> = Effect.Effect<A, ParseResult.ParseIssue>

/**
 * Decodes what a client sent. Refuses a list that is too long before it looks at the list's entries (`ListLengths`).
 * Throws for a schema with a list that has no `maxItems`, so that the server does not start with such a list.
 */
export const make = <A, I>(
  schema: Schema.Schema<A, I>,
  options?: { readonly errors: "all" }
): ((sent: unknown) => Decoded<A>) => {
  const decode = ParseResult.decodeUnknown(schema, options)
  const check = ListLengths.check(schema.ast)
  if (check === undefined) return decode
  return (sent) => {
    const issue = check(sent)
    return issue === undefined ? decode(sent) : Either.left(issue)
  }
}

/**
 * The most issues of one request that get a text. Making the text of an issue takes about 30 µs, and no other request
 * runs during this time. A body within `BodyBounds` can have more than ten thousand issues.
 */
export const MAX_ISSUES = 1_000

/** The first issues, at most `MAX_ISSUES`, with their texts. The texts do not contain the values that were sent. */
export const issues = (issue: ParseResult.ParseIssue): ReadonlyArray<ParseResult.ArrayFormatterIssue> =>
  ParseResult.ArrayFormatter.formatIssueSync(first(issue, { left: MAX_ISSUES }))

/** The same tree of issues without the leaves after the first `left`. */
const first = (issue: ParseResult.ParseIssue, room: { left: number }): ParseResult.ParseIssue => {
  switch (issue._tag) {
    case "Pointer":
      return new ParseResult.Pointer(issue.path, undefined, first(issue.issue, room))
    case "Refinement":
      return new ParseResult.Refinement(issue.ast, undefined, issue.kind, first(issue.issue, room))
    case "Transformation":
      return new ParseResult.Transformation(issue.ast, undefined, issue.kind, first(issue.issue, room))
    case "Composite":
      return new ParseResult.Composite(issue.ast, undefined, firstIssues(issue.issues, room))
    case "Type":
      room.left--
      return new ParseResult.Type(issue.ast, undefined, issue.message)
    default:
      room.left--
      return issue
  }
}

const firstIssues = (
  issues: ParseResult.Composite["issues"],
  room: { left: number }
): ParseResult.Composite["issues"] => {
  if ("_tag" in issues) return first(issues, room)
  const [head, ...others] = issues
  const kept: [ParseResult.ParseIssue, ...Array<ParseResult.ParseIssue>] = [first(head, room)]
  for (const issue of others) {
    if (room.left <= 0) break
    kept.push(first(issue, room))
  }
  return kept
}
