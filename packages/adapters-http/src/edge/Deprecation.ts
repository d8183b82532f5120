import { HttpApi, OpenApi } from "@effect/platform"
import { Context, Option } from "effect"
import * as Routes from "../engine/Routes.js"

/** 2026-11-20: the date since which all deprecated endpoints are deprecated. They have no date of removal yet. */
const SINCE_UNIX_S = 1_795_132_800

/**
 * The headers of deprecated endpoints (RFC 9745), by `Routes.label`. The `Link` header leads to the OpenAPI document,
 * which says what to use instead.
 */
export const headers = (
  api: HttpApi.HttpApi.Any,
  baseUrl: string
): ReadonlyMap<string, Readonly<Record<string, string>>> => {
  const deprecated = new Map<string, Readonly<Record<string, string>>>()
  const said = {
    deprecation: `@${SINCE_UNIX_S}`,
    link: `<${baseUrl}/openapi.json>; rel="deprecation"; type="application/json"`
  }
  HttpApi.reflect(api as HttpApi.HttpApi.AnyWithProps, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, path }, mergedAnnotations }) => {
      const isDeprecated = Option.getOrElse(Context.getOption(mergedAnnotations, OpenApi.Deprecated), () => false)
      if (isDeprecated) deprecated.set(Routes.label(method, path), said)
    }
  })
  return deprecated
}
