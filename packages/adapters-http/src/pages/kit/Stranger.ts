import { HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { Entropy } from "@place-access/domain/shared"
import { Effect } from "effect"
import { HttpOptions } from "../../HttpOptions.js"
import { textsIn } from "../../languages/index.js"
import * as Credentials from "../../security/Credentials.js"
import * as Errors from "../../wire/Errors.js"
import type { ScriptPolicy } from "./Page.js"
import * as Visitor from "./Visitor.js"

/** Forms for people who are not signed in. */

/**
 * Renders a page whose form is bound to this browser by a cookie, and sets the cookie if the browser has none. On a
 * page that begins a sign-in, `render` must pass its argument `zone` to `respond` as the option `zone`.
 */
export const bound = <R>(
  render: (formToken: string, zone: ScriptPolicy) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    const known = Credentials.visitorToken(yield* HttpServerRequest.HttpServerRequest, options)
    const visitor = known ?? (yield* Entropy.nonce)
    const page = yield* render(yield* Visitor.tokenFor({ cookie: visitor }), { nonce: yield* Entropy.nonce })
    return known === undefined ? Credentials.setVisitor(page, visitor, options) : page
  })

export const noCookie = Errors.forbidden(textsIn("en").frame.messages.noCookie)

/**
 * Reads a form that `bound` rendered, and checks its token. When the cookie is missing, the browser refuses cookies, or
 * was closed after it got the form. A browser that refuses cookies could not send a new form either, so the refusal
 * tells the person about the cookie.
 */
export const posted = Effect.gen(function* () {
  const visitor = Credentials.visitorToken(yield* HttpServerRequest.HttpServerRequest, yield* HttpOptions)
  return yield* Effect.mapError(Visitor.checked(visitor ?? ""), (error) =>
    visitor === undefined && error === Visitor.stale ? noCookie : error
  )
})
