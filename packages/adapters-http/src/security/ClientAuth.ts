import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "@effect/platform"
import type { App } from "@place-access/domain/apps"
import { Context, Schema } from "effect"
import { InvalidClient, RateLimited, Unavailable } from "../wire/Errors.js"

/** The app that proved itself with its client secret. */
export class CallingApp extends Context.Tag("@place-access/adapters-http/security/CallingApp")<CallingApp, App.App>() {}

/**
 * The guard for HTTP Basic with the app's id and the app's client secret, as at the token endpoint (decision
 * test-people-2).
 */
export class ClientAuth extends HttpApiMiddleware.Tag<ClientAuth>()("@place-access/adapters-http/security/ClientAuth", {
  failure: Schema.Union(InvalidClient, RateLimited, Unavailable),
  provides: CallingApp,
  security: {
    clientSecret: HttpApiSecurity.basic.pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "The app's id as user name, its client secret as password")
    )
  }
}) {}
