import { Schema } from "effect"
import type { RedirectUri } from "../apps/RedirectUri.js"
import type { AppId, ConnectionId, ConsentRequestId, UserId } from "../shared/Ids.js"
import type { Scope } from "../shared/Scope.js"
import { MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"
import type { KeyId } from "../shared/Vault.js"
import type { Challenge } from "./Pkce.js"

/**
 * 8 to 512 characters as people count them, an umlaut or an emoji's code point being one (Spec §4.1); returned to the app as it came,
 * percent-encoded, so that no line break reaches a header. Two cannot be: NUL is no text for a database, half a surrogate pair none for
 * a URL.
 */
export const State = Schema.String.pipe(
  // oxlint-disable-next-line no-control-regex
  Schema.pattern(/^[^\u0000\p{Surrogate}]{8,512}$/u),
  Schema.brand("State")
)
export type State = typeof State.Type

/** 1 to 128 characters, counted as people do; a control character could not be stored or shown. */
export const ExternalUserId = Schema.String.pipe(
  // oxlint-disable-next-line no-control-regex
  Schema.pattern(/^[^\u0000-\u001f\u007f]{1,128}$/u),
  Schema.brand("ExternalUserId")
)
export type ExternalUserId = typeof ExternalUserId.Type

/** What a checked `GET /authorize` asked for, kept while the user signs in and decides. */
export interface ConsentRequest {
  readonly id: ConsentRequestId
  readonly appId: AppId
  readonly redirectUri: RedirectUri
  readonly scopes: ReadonlyArray<Scope>
  readonly challenge: Challenge
  readonly state: State
  readonly externalUserId: ExternalUserId | null
  /** The request carried `response_type`, so the answer carries `iss` (decision O3, RFC 9207). */
  readonly answersIssuer: boolean
  readonly createdAt: Timestamp
  /** Who decided and what came of it; the same form posted again gets the same answer. */
  readonly decided: Decided | null
}

export type Decided =
  | { readonly by: UserId; readonly outcome: "denied" }
  | {
      readonly by: UserId
      readonly outcome: "approved"
      readonly connectionId: ConnectionId
      /** The key that the code was derived with, so that the same form gets the same code after a key rotation too. */
      readonly keyId: KeyId
    }

/** How long the page may stay open. */
export const LIFETIME = 60 * MINUTE

/** Until its lifetime is over; whether it was decided is not asked here. */
export const isOpen = (request: ConsentRequest, now: Timestamp): boolean => now < plus(request.createdAt, LIFETIME)

/** Spec §4.1: which screen the user sees. */
export const Mode = Schema.Literal("new", "renew_sensitive", "change")
export type Mode = typeof Mode.Type
