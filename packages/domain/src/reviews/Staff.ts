import { Either } from "effect"
import { type Account, hasRole } from "../accounts/Account.js"
import { Forbidden } from "../shared/Invalid.js"

/** Who decides about other people's apps (decision P2). An admin may do all that a reviewer may. */

const mayReview = (account: Account): boolean => hasRole(account, "reviewer") || hasRole(account, "admin")

/** Reviews purposes and apps, sees volume flags. */
export const requireReviewer = (account: Account): Either.Either<void, Forbidden> =>
  mayReview(account) ? Either.void : Either.left(new Forbidden({ reason: "This is for reviewers and admins" }))

/** Narrows an app's scopes and revokes apps. */
export const requireAdmin = (account: Account): Either.Either<void, Forbidden> =>
  hasRole(account, "admin") ? Either.void : Either.left(new Forbidden({ reason: "This is for admins" }))
