import { Schema } from "effect"
import { brand } from "../shared/Errors.js"
import type { RedirectUri } from "../apps/RedirectUri.js"
import type { AppId, ConnectionId, ConsentRequestId, Scope, UserId, Vault } from "../shared/index.js"
import { MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"
import type { Challenge } from "../tokens/Pkce.js"

/**
 * The `state` of a request: 8 to 512 characters, counted by code point (Spec §4.1). The app gets the `state` back
 * unchanged and percent-encoded, so a line break in it cannot reach a header. NUL is excluded because the database
 * cannot store NUL. Half of a surrogate pair is excluded because a URL cannot contain it. U+FFFD is excluded because
 * the parser of the query writes it in place of bytes that are not UTF-8: the app would get another `state` than it
 * sent, and would refuse the answer after the user has approved.
 */
export const ConsentRequestState = Schema.String.pipe(
  // oxlint-disable-next-line no-control-regex
  Schema.pattern(/^[^\u0000\ufffd\p{Surrogate}]{8,512}$/u),
  brand("State")
)
export type ConsentRequestState = typeof ConsentRequestState.Type

/**
 * The app's own id for the user: 1 to 128 code points. Control characters are excluded: pages cannot show them, and the
 * database cannot store NUL. Halves of surrogate pairs are excluded, because UTF-8 cannot contain them. U+FFFD is
 * excluded because the parser of the query writes it in place of bytes that are not UTF-8: the app would not recognise
 * the stored id.
 */
export const ExternalUserId = Schema.String.pipe(
  Schema.pattern(/^[^\p{Control}\p{Surrogate}\ufffd]{1,128}$/u),
  brand("ExternalUserId")
)
export type ExternalUserId = typeof ExternalUserId.Type

/** A checked `GET /authorize`. It is stored because the user signs in and decides in later requests. */
export interface ConsentRequest {
  readonly id: ConsentRequestId
  readonly appId: AppId
  readonly redirectUri: RedirectUri
  readonly scopes: ReadonlyArray<Scope.Scope>
  readonly challenge: Challenge
  readonly state: ConsentRequestState
  readonly externalUserId: ExternalUserId | null
  /** True when the request has `response_type`: then the answer has the parameter `iss` (decision O3, RFC 9207). */
  readonly answersIssuer: boolean
  readonly createdAt: Timestamp
  /**
   * The user who decided, and the outcome; null before the decision. The same form posted again gets the same answer.
   */
  readonly decided: DecidedConsent | null
}

export type DecidedConsent =
  | { readonly by: UserId; readonly outcome: "denied" }
  | {
      readonly by: UserId
      readonly outcome: "approved"
      readonly connectionId: ConnectionId
      /**
       * The key that derived the authorization code. It is stored so that the same form gets the same code even after a
       * key rotation.
       */
      readonly keyId: Vault.KeyId
    }

/** How long after its creation a request can be answered, in milliseconds. */
export const LIFETIME = 60 * MINUTE

/** Whether the request is young enough to be answered. It may have been decided already. */
export const isOpen = (request: Pick<ConsentRequest, "createdAt">, now: Timestamp): boolean =>
  now < plus(request.createdAt, LIFETIME)

/** The kind of consent page that the user sees (Spec §4.1). `ConsentMode.of` decides it. */
export const Mode = Schema.Literal("new", "renew_sensitive", "change")
export type Mode = typeof Mode.Type
