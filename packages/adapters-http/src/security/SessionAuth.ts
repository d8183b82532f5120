import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "@effect/platform"
import type { Account } from "@place-access/domain/accounts"
import { Context, Schema } from "effect"
import { Forbidden, NotSignedIn, SecondFactorMissing, Unavailable } from "../wire/Errors.js"

/** The account that is signed in. */
export class SignedIn extends Context.Tag("@place-access/adapters-http/security/SignedIn")<
  SignedIn,
  Account.Account
>() {}

/**
 * The guard for the session cookie of a browser (decision A2). Calls that change something also need one of our own
 * origins in `Origin` (decision A3). Over https the cookie is called `__Host-session`.
 */
export class SessionAuth extends HttpApiMiddleware.Tag<SessionAuth>()(
  "@place-access/adapters-http/security/SessionAuth",
  {
    failure: Schema.Union(NotSignedIn, Forbidden, SecondFactorMissing, Unavailable),
    provides: SignedIn,
    security: {
      session: HttpApiSecurity.apiKey({ in: "cookie", key: "__Host-session" }).pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "Set by POST /v1/session; named session without https. Calls that change something also need Origin"
        )
      )
    }
  }
) {}
