import { Context, type Effect, Schema } from "effect"
import type { UserId } from "../shared/index.js"
import type { Passkey, PasskeyId } from "./Factors.js"

/** What a browser's authenticator answered. Nothing of it is verified yet. */
export interface PasskeyResponse {
  readonly id: PasskeyId
  /** The challenge that the browser says it signed. */
  readonly challenge: string
  /** Whose passkey the authenticator says it is; null when it does not say. */
  readonly owner: UserId | null
  /** The whole response, as the browser encoded it. */
  readonly json: string
}

/** The response is not one of this passkey to this challenge on a page of ours. */
export class PasskeyRejected extends Schema.TaggedError<PasskeyRejected>()("PasskeyRejected", {
  /** For the log. It contains nothing of the response. */
  reason: Schema.String
}) {}

/** Verifies the signatures of passkeys (WebAuthn). It stores nothing: challenges and counters are the domain's. */
export class PasskeyVerifier extends Context.Tag("@place-access/domain/factors/PasskeyVerifier")<
  PasskeyVerifier,
  {
    /** A new passkey that was made for `response.challenge`. */
    readonly registered: (
      response: PasskeyResponse
    ) => Effect.Effect<Pick<Passkey, "id" | "publicKey" | "counter">, PasskeyRejected>
    /** That `passkey` signed `response.challenge`. It does not look at the counter. */
    readonly signed: (
      response: PasskeyResponse,
      passkey: Pick<Passkey, "id" | "publicKey">
    ) => Effect.Effect<
      {
        readonly counter: number
        /** Whether the authenticator checked who used it, with a PIN, a finger or a face. */
        readonly isUserVerified: boolean
      },
      PasskeyRejected
    >
  }
>() {}
