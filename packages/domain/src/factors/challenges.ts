import { Effect } from "effect"
import { Entropy, program, Timestamp, type UserId, Vault } from "../shared/index.js"
import * as Factors from "./Factors.js"
import { FactorStore } from "./FactorStore.js"

/**
 * What a passkey's answer to a challenge is used for. A challenge counts only for the use and the person that it was
 * issued for: an answer to a challenge of the sign-in page cannot confirm a session, and a new passkey cannot be added
 * to another account.
 */
export type ChallengeUse =
  /** Signing in without the password. The service does not know yet who the person is, so there is no `userId`. */
  | { readonly _tag: "SignIn" }
  /** The second step of a sign-in. */
  | { readonly _tag: "SecondStep"; readonly userId: UserId }
  | { readonly _tag: "Confirm"; readonly userId: UserId }
  | { readonly _tag: "Add"; readonly userId: UserId }

const digestOf = ({ sha256 }: Vault.Vault["Type"], challenge: string, use: ChallengeUse): Vault.Hash =>
  sha256(`passkey-challenge ${use._tag} ${use._tag === "SignIn" ? "" : use.userId} ${challenge}`)

/** A new challenge, which can be answered once within five minutes (decision factors-3). */
export const issueChallenge = program("issueChallenge", function* (use: ChallengeUse) {
  const challenge = yield* Entropy.nonce
  const expiresAt = Timestamp.plus(yield* Timestamp.now, Factors.CHALLENGE_LIFETIME)
  yield* (yield* FactorStore).keepChallenge(digestOf(yield* Vault.Vault, challenge, use), expiresAt)
  return challenge
})

/**
 * Whether the challenge was issued for this use and has neither been answered nor expired. The check uses up a
 * challenge that was issued for this use.
 */
export const takeChallenge = (challenge: string, use: ChallengeUse) =>
  Effect.gen(function* () {
    const digest = digestOf(yield* Vault.Vault, challenge, use)
    return yield* (yield* FactorStore).takeChallenge(digest, yield* Timestamp.now)
  })
