import type { HttpApi } from "@effect/platform"
import { Scope } from "@place-access/domain/shared"
import { Context } from "effect"
import { byRoute } from "../engine/byRoute.js"
import { keyReader } from "../idempotency/WithoutKey.js"
import { RequiredRole } from "../security/RequiredRole.js"
import * as RequiredScope from "../security/RequiredScope.js"

/**
 * Annotation of a GET behind `SessionAuth` that answers some accounts with 403 `forbidden`, with the reason. Other
 * endpoints need no annotation, because they always declare 403: a GET with a `RequiredRole`, because an account may
 * lack the role, and every call that changes something, because its `Origin` may be wrong.
 */
export class MayForbid extends Context.Tag("@place-access/adapters-http/openapi/MayForbid")<MayForbid, string>() {}

/**
 * Annotation of endpoints that read and check the body themselves: they refuse a wrong body with 400 `invalid_request`,
 * and never with `validation_failed`.
 */
export class ChecksBody extends Context.Tag("@place-access/adapters-http/openapi/ChecksBody")<ChecksBody, true>() {}

/**
 * The names of the errors that the contract declares for an endpoint and with which the endpoint never answers, by the
 * endpoint's name (`Routes.label`). The contract declares some errors for whole groups of endpoints.
 */
export const impossibleErrors = (api: HttpApi.HttpApi.Any): ((label: string) => ReadonlySet<string>) => {
  const takesKey = keyReader(api)
  const scopes = RequiredScope.requirements(api)
  const roles = byRoute(api, RequiredRole)
  const forbidding = byRoute(api, MayForbid)
  const checking = byRoute(api, ChecksBody)
  return (label) =>
    new Set([
      ...(takesKey(label) ? [] : ["IdempotencyKeyInUseError", "IdempotencyKeyReusedError"]),
      ...scopeErrors(scopes.get(label)),
      ...(roles.has(label) ? [] : ["SecondFactorMissingError"]),
      ...(label.startsWith("GET ") && !roles.has(label) && !forbidding.has(label) ? ["ForbiddenError"] : []),
      ...(checking.has(label) ? ["ValidationFailedError"] : [])
    ])
}

/**
 * The errors about scopes with which the endpoint never answers. Only a sensitive scope can expire while its connection
 * lives; a standard scope ends with its connection (decision tiers-1).
 */
const scopeErrors = (requirement: RequiredScope.ScopeRequirement | undefined): ReadonlyArray<string> => {
  if (requirement === undefined) return []
  if (requirement === "none") return ["MissingScopeError", "ScopeExpiredError"]
  return requirement !== "any_standard" && Scope.isSensitive(requirement) ? [] : ["ScopeExpiredError"]
}
