import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "@effect/platform"
import type { Caller as Connection } from "@place-access/domain/tokens"
import { Context, Schema } from "effect"
import {
  ConnectionOnHold,
  InvalidPurpose,
  InvalidToken,
  MissingScope,
  RateLimited,
  ScopeExpired,
  Unavailable
} from "../wire/Errors.js"

/**
 * The caller of the request: the live connection whose access token came with the request, the connection's app, and
 * the scopes that are in force.
 */
export class BearerCaller extends Context.Tag("@place-access/adapters-http/security/Caller")<
  BearerCaller,
  Connection.Caller
>() {}

/**
 * The guard for `Authorization: Bearer <access token>` of one connection (Spec §5). The guard also counts the call,
 * checks the endpoint's `RequiredScope` and, for a sensitive scope, the purpose, and enters the request into the user's
 * access log.
 */
export class BearerAuth extends HttpApiMiddleware.Tag<BearerAuth>()("@place-access/adapters-http/security/BearerAuth", {
  failure: Schema.Union(
    InvalidToken,
    MissingScope,
    ScopeExpired,
    InvalidPurpose,
    RateLimited,
    Unavailable,
    ConnectionOnHold
  ),
  provides: BearerCaller,
  security: {
    accessToken: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(
        OpenApi.Description,
        "Access token of one connection: one user's approval of one app. Every answer to a good one carries RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset (seconds) and RateLimit-Policy"
      )
    )
  }
}) {}
