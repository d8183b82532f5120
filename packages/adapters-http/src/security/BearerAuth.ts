import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "@effect/platform"
import type { Caller as Connection } from "@place-access/domain/connection"
import { Context, Schema } from "effect"
import { InvalidToken, MissingScope, ScopeExpired, Unavailable } from "../wire/Errors.js"

/** The live connection whose access token came with the request, its app and effective scopes. */
export class Caller extends Context.Tag("@place-access/adapters-http/security/Caller")<Caller, Connection.Caller>() {}

/**
 * `Authorization: Bearer <access token>` of one connection (Spec §5). Also checks the endpoint's `RequiredScope` and puts
 * the request into the user's access log.
 */
export class BearerAuth extends HttpApiMiddleware.Tag<BearerAuth>()("@place-access/adapters-http/security/BearerAuth", {
  failure: Schema.Union(InvalidToken, MissingScope, ScopeExpired, Unavailable),
  provides: Caller,
  security: {
    accessToken: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "Access token of one connection: one user's approval of one app")
    )
  }
}) {}
