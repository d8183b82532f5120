import type { HttpApi } from "@effect/platform"
import { Scope } from "@place-access/domain/shared"
import * as Routes from "../edge/Routes.js"
import type { Options } from "../HttpOptions.js"
import { byRoute } from "../security/byRoute.js"
import { RequiredRole } from "../security/RequiredRole.js"
import * as RequiredScope from "../security/RequiredScope.js"
import { type Json, list, object } from "./Json.js"

/** The scheme of `BearerAuth`. */
const TOKEN = "accessToken"
/** The scheme of `SessionAuth`. */
const SESSION = "session"

/**
 * The guards' annotations as the document can say them: the scopes of an access token, of which one of several may do, and
 * the role that a session needs.
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

const tokensWith = (requirement: RequiredScope.Requirement): ReadonlyArray<Json> =>
  requirement === "none"
    ? [{ [TOKEN]: [] }]
    : requirement === "any_standard"
      ? Scope.standard.map((scope) => ({ [TOKEN]: [scope] }))
      : [{ [TOKEN]: [requirement] }]

/** Where access tokens come from. The cookie's name depends on how this server is reached. */
export const describeSchemes = (document: Json, { authUrl, baseUrl }: Options): void => {
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

/** Who may call, for readers. */
export interface Caller {
  readonly scheme: string | null
  /** Scopes of which one is needed, or the role. */
  readonly needs: ReadonlyArray<string>
}

export const callerOf = (operation: Json): Caller => {
  const alternatives = list(operation["security"]).map(object)
  const [first] = alternatives
  return {
    scheme: first === undefined ? null : (Object.keys(first)[0] ?? null),
    needs: alternatives.flatMap((one) => Object.values(one).flatMap((scopes) => list(scopes).map(String)))
  }
}
