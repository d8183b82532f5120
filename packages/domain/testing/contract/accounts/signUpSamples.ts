import { Effect } from "effect"
import { DisplayName, Email } from "../../../src/accounts/Account.js"
import * as SignUpRequest from "../../../src/credentials/SignUpRequest.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { UserId } from "../../../src/shared/Ids.js"
import type { Timestamp } from "../../../src/shared/Timestamp.js"
import { freshHash } from "../connection/connectionSamples.js"

/**
 * A sign-up request that waits for its confirmation from `now` on. By default it has an e-mail address that nobody else
 * has.
 */
export const signUpRequest = (now: Timestamp, email?: Email) =>
  Effect.gen(function* () {
    const userId = UserId.make(yield* Entropy.id("usr"))
    return SignUpRequest.withLink({
      userId,
      email: email ?? Email.make(`${userId}@example.com`),
      displayName: DisplayName.make("Ada"),
      passwordHash: "a hash",
      keep: 90,
      returnTo: "/authorize?request=crq_1"
    })(yield* freshHash, now)
  })
