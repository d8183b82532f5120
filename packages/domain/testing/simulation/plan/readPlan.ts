import { Either, Option, type ParseResult, Schema, SchemaAST } from "effect"
import type { Plan } from "./Plan.js"
import { planSchema } from "./planSchema.js"

/** The values of the fields that the file of a plan may omit. */
const DEFAULTS = { faults: {}, hasSandbox: false, scheduling: "fifo" } as const

const decode = Schema.decodeUnknownEither(planSchema, { onExcessProperty: "error" })

/**
 * Reads a plan from a parsed file, which a person may have written. Throws an error that names the wrong field and
 * never quotes its content.
 */
export const readPlan = (value: unknown): Plan => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new TypeError("it is no JSON object")
  return Either.getOrThrowWith(decode({ ...DEFAULTS, ...value }), ({ issue }) => new TypeError(fault(issue, "")))
}

/** Whether a value is a valid plan. */
export const isPlan: (value: unknown) => value is Plan = Schema.is(planSchema)

/** Describes the first problem of the plan. */
const fault = (issue: ParseResult.ParseIssue, path: string): string => {
  switch (issue._tag) {
    case "Pointer":
      return fault(issue.issue, [issue.path].flat().reduce(into, path))
    case "Missing":
      return `${path} is missing`
    case "Unexpected":
      return `${path} is nothing that belongs there`
    case "Composite": {
      const [first] = [issue.issues].flat()
      return first === undefined || isChoice(issue.ast) ? must(issue.ast, path) : fault(first, path)
    }
    default:
      return must(issue.ast, path)
  }
}

const into = (path: string, key: PropertyKey): string =>
  typeof key === "number" ? `${path}[${key}]` : path === "" ? String(key) : `${path}.${String(key)}`

const must = (ast: SchemaAST.AST, path: string): string => `${path} must be ${describe(ast)}`

const nameOf = (ast: SchemaAST.AST): string | undefined =>
  Option.getOrUndefined(SchemaAST.getDescriptionAnnotation(ast))

/**
 * True when a wrong value does not show which alternative of a union the author of the plan meant. The message then
 * lists all alternatives.
 */
const isChoice = (ast: SchemaAST.AST): boolean =>
  nameOf(ast) !== undefined || (SchemaAST.isUnion(ast) && !ast.types.some(SchemaAST.isTypeLiteral))

const describe = (ast: SchemaAST.AST): string => {
  const name = nameOf(ast)
  if (name !== undefined) return name
  if (SchemaAST.isUnion(ast) && isChoice(ast)) return listed(alternatives(ast).map(describe))
  if (SchemaAST.isLiteral(ast)) return String(ast.literal)
  return SchemaAST.isTupleType(ast) ? "a list" : "an object"
}

const alternatives = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  SchemaAST.isUnion(ast) && nameOf(ast) === undefined ? ast.types.flatMap(alternatives) : [ast]

const listed = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`
