import { Account, type AccountStore, hasFactor } from "@place-access/domain/accounts"
import type { StoreError } from "@place-access/domain/shared"
import { Effect } from "effect"
import { HttpOptions } from "../HttpOptions.js"

/** Whether the service requires a second factor of the account, because the account belongs to a reviewer or admin. */
export const isRequired = (account: Account.Account): Effect.Effect<boolean, never, HttpOptions> =>
  Effect.map(HttpOptions, ({ staffSecondFactor }) => staffSecondFactor === "required" && Account.isStaff(account))

/**
 * Whether the account belongs to a reviewer or admin and lacks the second factor that the service requires of reviewers
 * and admins (decision factors-9). Staff routes then answer 403 `second_factor_missing`, and pages lead to the page
 * that sets a factor up.
 */
export const isLacking = (account: Account.Account): Effect.Effect<boolean, StoreError, HttpOptions | AccountStore> =>
  Effect.gen(function* () {
    if (!(yield* isRequired(account))) return false
    return !(yield* hasFactor(account))
  })
