import { HttpApi, HttpApiMiddleware, OpenApi } from "@effect/platform"
import { Scope } from "@place-access/domain/shared"
import * as EventCatalogue from "@place-access/adapters-http/openapi/EventCatalogue"
import { Context, Option, SchemaAST } from "effect"
import { describe, expect, it } from "vitest"
import { Api } from "@place-access/adapters-http/Api"
import { BearerAuth } from "@place-access/adapters-http/security/BearerAuth"
import { ClientAuth } from "@place-access/adapters-http/security/ClientAuth"
import { DeviceAuth, OsmAndAuth, OverlandAuth, OwnTracksAuth } from "@place-access/adapters-http/security/DeviceAuth"
import { RequiredRole } from "@place-access/adapters-http/security/RequiredRole"
import { RequiredScope } from "@place-access/adapters-http/security/RequiredScope"
import { SessionAuth } from "@place-access/adapters-http/security/SessionAuth"

/** Endpoints that anybody may call: they authenticate in their own way, or need no authentication. */
const OPEN = new Set([
  "POST /v1/accounts",
  "POST /v1/accounts/confirmations",
  "POST /v1/accounts/confirmations/use",
  "POST /v1/email-undos/use",
  "POST /v1/unlock-links",
  "POST /v1/unlock-links/use",
  "POST /v1/session",
  "POST /v1/password-resets",
  "POST /v1/password-resets/use",
  "DELETE /v1/session",
  "POST /v1/oauth/token",
  "POST /v1/oauth/revoke",
  "GET /.well-known/oauth-authorization-server"
])

interface Endpoint {
  readonly name: string
  readonly middleware: ReadonlySet<HttpApiMiddleware.TagClassAny>
  readonly annotations: Context.Context<never>
  readonly path: string
  readonly pathSchema: boolean
  readonly parameters: ReadonlyArray<PropertyKey>
}

const endpoints: Array<Endpoint> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, mergedAnnotations, middleware }) => {
    endpoints.push({
      name: `${endpoint.method} ${endpoint.path}`,
      path: endpoint.path,
      pathSchema: Option.isSome(endpoint.pathSchema),
      parameters: Option.match(endpoint.urlParamsSchema, {
        onNone: () => [],
        onSome: ({ ast }) => SchemaAST.getPropertySignatures(ast).map((property) => property.name)
      }),
      middleware,
      annotations: mergedAnnotations
    })
  }
})

it("each scope opens an endpoint or an event: a user is asked for nothing that does nothing", () => {
  const opening = endpoints.map(({ annotations }) => Option.getOrNull(Context.getOption(annotations, RequiredScope)))
  const sent = EventCatalogue.ENTRIES.flatMap(({ name }) => EventCatalogue.neededScopes(name))
  expect(Scope.all.filter((scope) => !opening.includes(scope) && !sent.includes(scope))).toEqual([])
})

describe.each(endpoints)("$name", ({ annotations, middleware, name, parameters, path, pathSchema }) => {
  const keys = new Set(Array.from(middleware, (one) => one.key))
  const guards = [BearerAuth, ClientAuth, DeviceAuth, OverlandAuth, OwnTracksAuth, OsmAndAuth, SessionAuth]
    .map(({ key }) => key)
    .filter((key) => keys.has(key))

  it("has one guard, or is known to be open", () => {
    expect(guards.length).toBe(OPEN.has(name) ? 0 : 1)
    const security = Array.from(middleware).filter((one) => HttpApiMiddleware.isSecurity(one))
    expect(security.map((one) => one.key)).toEqual(guards)
  })

  it("has a summary in openapi.json", () => {
    expect(Option.getOrElse(Context.getOption(annotations, OpenApi.Summary), () => "")).not.toBe("")
  })

  it("names its scope when apps call it, which also puts it into the access log", () => {
    expect(Option.isSome(Context.getOption(annotations, RequiredScope))).toBe(keys.has(BearerAuth.key))
  })

  it("takes a purpose of apps when it discloses coordinates, and never else [§1.4]", () => {
    const scope = Option.getOrElse(Context.getOption(annotations, RequiredScope), () => "none" as const)
    expect(keys.has(BearerAuth.key) && parameters.includes("purpose")).toBe(
      Scope.isScope(scope) && Scope.isSensitive(scope)
    )
  })

  it("names its role when it is not for everybody who is signed in", () => {
    expect(Option.isSome(Context.getOption(annotations, RequiredRole))).toBe(path.startsWith("/v1/admin/"))
  })

  it("decodes its path parameters and lives under /v1 [§9.1]", () => {
    expect(pathSchema).toBe(path.includes(":"))
    expect(path).toMatch(/^\/(?:v1|\.well-known)\//)
  })
})
