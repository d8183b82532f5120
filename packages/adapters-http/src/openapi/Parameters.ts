import { HttpApi } from "@effect/platform"
import { Option, SchemaAST } from "effect"
import * as Routes from "../engine/Routes.js"
import { type Json, list, object } from "./Json.js"

/**
 * Adds the contract's descriptions of query parameters. The generator loses the description of a parameter if another
 * parameter of the query has a default, or if the parameter's schema has a name.
 */
export const addDescriptions = (
  api: HttpApi.HttpApi.Any
): ((method: string, path: string, operation: Json) => void) => {
  const queries = new Map<string, ReadonlyMap<string, string>>()
  HttpApi.reflect(api as HttpApi.HttpApi.AnyWithProps, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, path, urlParamsSchema } }) => {
      if (Option.isSome(urlParamsSchema)) queries.set(Routes.label(method, path), described(urlParamsSchema.value.ast))
    }
  })
  return (method, path, operation) => {
    const query = queries.get(Routes.label(method, path))
    for (const parameter of list(operation["parameters"]).map(object)) {
      const description = query?.get(String(parameter["name"]))
      if (parameter["in"] === "query" && description !== undefined) parameter["description"] ??= description
    }
  }
}

/** The descriptions of the fields, by name. */
const described = (ast: SchemaAST.AST): ReadonlyMap<string, string> => {
  if (SchemaAST.isTransformation(ast)) return described(ast.to)
  if (!SchemaAST.isTypeLiteral(ast)) return new Map()
  return new Map(
    ast.propertySignatures.flatMap((field) =>
      Option.toArray(SchemaAST.getDescriptionAnnotation(field)).map(
        (description) => [String(field.name), description] as const
      )
    )
  )
}
