import { HttpApi, OpenApi } from "@effect/platform"
import { Context, Option } from "effect"
import * as Routes from "./Routes.js"

/** 2026-11-20: since when what is deprecated is. When it will be removed is not known. */
const SINCE_UNIX_S = 1_795_132_800

/**
 * By `Routes.label`: what answers say of an endpoint that is deprecated in the contract (RFC 9745). The link leads to the contract,
 * whose description says what to do instead.
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
