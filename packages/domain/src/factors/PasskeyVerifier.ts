import { Context, type Effect, Schema } from "effect"
import type { UserId } from "../shared/index.js"
import type { Passkey, PasskeyId } from "./Factors.js"

/** The response of a browser's authenticator, not verified yet. */
export interface PasskeyResponse {
  readonly id: PasskeyId
  /** The challenge that was signed, according to the browser. */
  readonly challenge: string
  /** The owner of the passkey, according to the authenticator; null when the authenticator does not name the owner. */
  readonly owner: UserId | null
  /** The whole response, as the browser encoded it. */
  readonly json: string
}

/**
 * The response is not valid. For example, it is from another passkey, answers another challenge, or comes from another
 * site's page.
 */
export class PasskeyRejected extends Schema.TaggedError<PasskeyRejected>()("PasskeyRejected", {
  /** Why the response was refused, for the log. The text contains nothing of the response. */
  reason: Schema.String
}) {
  override get message(): string {
    return "The response of the passkey is not valid"
  }
}

/** Verifies the signatures of passkeys (WebAuthn). It stores nothing: `FactorStore` has challenges and counters. */
export class PasskeyVerifier extends Context.Tag("@place-access/domain/factors/PasskeyVerifier")<
  PasskeyVerifier,
  {
    /** Verifies that a new passkey was made for `response.challenge`, and returns the passkey. */
    readonly registered: (
      response: PasskeyResponse
    ) => Effect.Effect<Pick<Passkey, "id" | "publicKey" | "counter">, PasskeyRejected>
    /** Verifies that `passkey` signed `response.challenge`. Does not check the counter. */
    readonly signed: (
      response: PasskeyResponse,
      passkey: Pick<Passkey, "id" | "publicKey">
    ) => Effect.Effect<
      {
        readonly counter: number
        /** Whether the authenticator checked who used the passkey, with a PIN, a finger or a face. */
        readonly isUserVerified: boolean
      },
      PasskeyRejected
    >
  }
>() {}
