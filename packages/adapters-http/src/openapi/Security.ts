import type { HttpApi } from "@effect/platform"
import { Scope } from "@place-access/domain/shared"
import * as Routes from "../engine/Routes.js"
import type { ServiceOptions } from "../HttpOptions.js"
import { byRoute } from "../engine/byRoute.js"
import { RequiredRole } from "../security/RequiredRole.js"
import * as RequiredScope from "../security/RequiredScope.js"
import { type Json, list, object } from "./Json.js"

/** The name of the security scheme of `BearerAuth` in the document. */
const TOKEN = "accessToken"
/** The name of the security scheme of `SessionAuth` in the document. */
const SESSION = "session"

/**
 * Adds the guards' requirements to the document: the scopes of an access token (where an operation lists several
 * scopes, one of them is enough) and the role that a session needs.
 */
export const addRequirements = (
  api: HttpApi.HttpApi.Any
): ((method: string, path: string, operation: Json) => void) => {
  const scopes = RequiredScope.requirements(api)
  const roles = byRoute(api, RequiredRole)
  return (method, path, operation) => {
    const label = Routes.label(method, path)
    const scope = scopes.get(label)
    const role = roles.get(label)
    if (scope !== undefined) operation["security"] = tokensWith(scope)
    if (role !== undefined) operation["security"] = [{ [SESSION]: [role] }]
  }
}

const tokensWith = (requirement: RequiredScope.ScopeRequirement): ReadonlyArray<Json> =>
  requirement === "none"
    ? [{ [TOKEN]: [] }]
    : requirement === "any_standard"
      ? Scope.standard.map((scope) => ({ [TOKEN]: [scope] }))
      : [{ [TOKEN]: [requirement] }]

/**
 * Describes where access tokens come from. Also sets the name of the session cookie, which depends on whether the
 * server uses https.
 */
export const describeSchemes = (document: Json, { authUrl, baseUrl }: ServiceOptions): void => {
  const schemes = object(object(document["components"])["securitySchemes"])
  const tokenUrl = `${baseUrl}/v1/oauth/token`
  schemes[TOKEN] = {
    type: "oauth2",
    description: String(object(schemes[TOKEN])["description"]),
    flows: {
      authorizationCode: {
        authorizationUrl: `${authUrl}/authorize`,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes: Scope.describe
      }
    }
  }
  const session = object(schemes[SESSION])
  if (!baseUrl.startsWith("https://")) session["name"] = "session"
}

/** Who may call an operation, for readers of the documentation. */
export interface OperationCaller {
  readonly scheme: string | null
  /**
   * For an operation with an access token: scopes, of which the caller needs only one. For an operation with a session:
   * the role that the caller needs.
   */
  readonly needs: ReadonlyArray<string>
}

export const callerOf = (operation: Json): OperationCaller => {
  const alternatives = list(operation["security"]).map(object)
  const [first] = alternatives
  return {
    scheme: first === undefined ? null : (Object.keys(first)[0] ?? null),
    needs: alternatives.flatMap((one) => Object.values(one).flatMap((scopes) => list(scopes).map(String)))
  }
}
