import { Option, ParseResult, SchemaAST } from "effect"

/**
 * Finds a list that is longer than the `maxItems` of its schema, before anything looks at the list's entries.
 *
 * A schema checks all entries first, and the length afterwards. A wrong entry of a list of names makes an issue for
 * each name that would be right. Without this module, a body of 40 KB with 20,000 wrong entries would make 200,000
 * issues, and would stop all other requests for seconds.
 */
export type LengthCheck = (sent: unknown) => ParseResult.ParseIssue | undefined

/** The check of the lists in a schema's input; undefined when the schema has no list. Throws for an unlimited list. */
export const check = (ast: SchemaAST.AST): LengthCheck | undefined => ofAst(ast, undefined)

interface Limit {
  readonly most: number
  /** The part of the schema that has `maxItems` and the message about it. */
  readonly ast: SchemaAST.AST
}

const ofAst = (ast: SchemaAST.AST, limit: Limit | undefined): LengthCheck | undefined => {
  switch (ast._tag) {
    case "Refinement":
      return ofAst(ast.from, limitOf(ast) ?? limit)
    case "Transformation":
      return ofAst(ast.from, limit)
    case "TypeLiteral":
      return ofStruct(ast)
    case "TupleType":
      return ofList(ast, limit)
    case "Union":
      return ofUnion(ast, limit)
    default:
      return undefined
  }
}

const limitOf = (ast: SchemaAST.Refinement): Limit | undefined => {
  const most = Option.map(SchemaAST.getJSONSchemaAnnotation(ast), (schema) => "maxItems" in schema && schema.maxItems)
  return Option.isSome(most) && typeof most.value === "number" ? { most: most.value, ast } : undefined
}

const isObject = (sent: unknown): sent is Readonly<Record<PropertyKey, unknown>> =>
  typeof sent === "object" && sent !== null && !Array.isArray(sent)

const at = (key: PropertyKey, sent: unknown, issue: ParseResult.ParseIssue | undefined) =>
  issue && new ParseResult.Pointer(key, sent, issue)

const ofStruct = ({ propertySignatures }: SchemaAST.TypeLiteral): LengthCheck | undefined => {
  const checks = propertySignatures.flatMap(({ name, type }) => {
    const check = ofAst(type, undefined)
    return check === undefined ? [] : [[name, check] as const]
  })
  if (checks.length === 0) return undefined
  return (sent) => (isObject(sent) ? firstOf(checks, ([name, check]) => at(name, sent, check(sent[name]))) : undefined)
}

const ofList = ({ elements, rest }: SchemaAST.TupleType, limit: Limit | undefined): LengthCheck | undefined => {
  const [entry] = rest
  if (entry === undefined) return undefined
  if (limit === undefined) {
    // An entry that can be wrong in one way only, or not at all, costs little, and `BodyBounds` limits how many such
    // entries a body has.
    if (elements.length === 0 && (SchemaAST.isUnknownKeyword(entry.type) || SchemaAST.isStringKeyword(entry.type)))
      return undefined
    throw new Error(`A list in a request has no maxItems: ${String(entry.type)}`)
  }
  const inner = ofAst(entry.type, undefined)
  return (sent) => {
    if (!Array.isArray(sent)) return undefined
    // The list itself is not in the issue: otherwise the issue's text would contain the whole list.
    if (sent.length > limit.most) return new ParseResult.Type(limit.ast, undefined, `must be at most ${limit.most}`)
    return inner && firstOf(sent.entries(), ([index, value]) => at(index, sent, inner(value)))
  }
}

/** A value is refused only when each alternative that could accept the value has a list that is too long. */
const ofUnion = ({ types }: SchemaAST.Union, limit: Limit | undefined): LengthCheck | undefined => {
  const members = types.map((type) => ({ type, check: ofAst(type, limit) }))
  if (members.every(({ check }) => check === undefined)) return undefined
  return (sent) => {
    const issues = members.flatMap(({ check, type }) => (couldBe(type, sent) ? [check?.(sent)] : []))
    return issues.every((issue) => issue !== undefined) ? issues[0] : undefined
  }
}

/** Whether the list or object may belong to this alternative of a union. Literal fields tell alternatives apart. */
const couldBe = (ast: SchemaAST.AST, sent: unknown): boolean => {
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return couldBe(ast.from, sent)
    case "Union":
      return ast.types.some((type) => couldBe(type, sent))
    case "TypeLiteral":
      return (
        isObject(sent) &&
        ast.propertySignatures.every(({ name, type }) => !SchemaAST.isLiteral(type) || sent[name] === type.literal)
      )
    case "TupleType":
      return Array.isArray(sent)
    default:
      return ANY_OBJECT.has(ast._tag)
  }
}

/** The kinds of schemas, besides structs and lists, that can accept an object or a list. */
const ANY_OBJECT = new Set(["AnyKeyword", "UnknownKeyword", "ObjectKeyword", "Declaration", "Suspend"])

const firstOf = <A>(
  all: Iterable<A>,
  issueOf: (one: A) => ParseResult.ParseIssue | undefined
): ParseResult.ParseIssue | undefined => {
  for (const one of all) {
    const issue = issueOf(one)
    if (issue !== undefined) return issue
  }
  return undefined
}
