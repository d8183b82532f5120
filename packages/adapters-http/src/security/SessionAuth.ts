import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "@effect/platform"
import type { Account } from "@place-access/domain/accounts"
import { Context, Schema } from "effect"
import { Forbidden, NotSignedIn, Unavailable } from "../wire/Errors.js"

/** The account that is signed in. */
export class SignedIn extends Context.Tag("@place-access/adapters-http/security/SignedIn")<
  SignedIn,
  Account.Account
>() {}

/**
 * A browser's session cookie (decision A2). Calls that change something also need an `Origin` of ours (decision A3). The
 * cookie is called `__Host-session` when the service is reached over https.
 */
export class SessionAuth extends HttpApiMiddleware.Tag<SessionAuth>()(
  "@place-access/adapters-http/security/SessionAuth",
  {
    failure: Schema.Union(NotSignedIn, Forbidden, Unavailable),
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
