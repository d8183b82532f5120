import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "@effect/platform"
import type { Caller as Connection } from "@place-access/domain/connection"
import { Context, Schema } from "effect"
import { InvalidPurpose, InvalidToken, MissingScope, RateLimited, ScopeExpired, Unavailable } from "../wire/Errors.js"

/** The live connection whose access token came with the request, its app and effective scopes. */
export class Caller extends Context.Tag("@place-access/adapters-http/security/Caller")<Caller, Connection.Caller>() {}

/**
 * `Authorization: Bearer <access token>` of one connection (Spec §5). Also counts the call, checks the endpoint's `RequiredScope`,
 * the purpose when that is a sensitive one, and puts the request into the user's access log.
 */
export class BearerAuth extends HttpApiMiddleware.Tag<BearerAuth>()("@place-access/adapters-http/security/BearerAuth", {
  failure: Schema.Union(InvalidToken, MissingScope, ScopeExpired, InvalidPurpose, RateLimited, Unavailable),
  provides: Caller,
  security: {
    accessToken: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(
        OpenApi.Description,
        "Access token of one connection: one user's approval of one app. Every answer to a good one carries RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset (seconds) and RateLimit-Policy"
      )
    )
  }
}) {}
