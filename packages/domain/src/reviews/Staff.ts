import { Either, Schema } from "effect"
import { type Account, hasRole } from "../accounts/Account.js"
import { Forbidden } from "../shared/Errors.js"

/** Whether the account may decide about other people's apps (decision P2). An admin may do all that a reviewer may. */

const mayReview = (account: Account): boolean => hasRole(account, "reviewer") || hasRole(account, "admin")

/** Required for reviewing purposes and apps, and for volume flags. */
export const requireReviewer = (account: Account): Either.Either<void, Forbidden> =>
  mayReview(account) ? Either.void : Either.left(new Forbidden({ reason: "This is for reviewers and admins" }))

/** The app or purpose belongs to the account that decides. `decideWithoutOwn` handles this error. */
export class OwnWork extends Schema.TaggedError<OwnWork>()("OwnWork", {}) {}

/** Required for narrowing and revoking apps. */
export const requireAdmin = (account: Account): Either.Either<void, Forbidden> =>
  hasRole(account, "admin") ? Either.void : Either.left(new Forbidden({ reason: "This is for admins" }))
