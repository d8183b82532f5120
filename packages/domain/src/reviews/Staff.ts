import { Either, Schema } from "effect"
import { type Account, hasRole, type StaffRole } from "../accounts/Account.js"
import { Forbidden } from "../shared/Errors.js"

/**
 * The roles that may decide. `reviews`: the roles that may decide about apps and purposes. `scopes`: the roles that may
 * limit the scopes of an app. Programs pass one of these lists to `decideWithoutOwn`.
 */
export const DECIDING: Readonly<Record<"reviews" | "scopes", ReadonlyArray<StaffRole>>> = {
  reviews: ["reviewer", "admin"],
  scopes: ["admin"]
}

/**
 * Whether the account may decide about other people's apps (decision P2). An admin may do everything that a reviewer
 * may do.
 */
const mayReview = (account: Account): boolean => hasRole(account, "reviewer") || hasRole(account, "admin")

/** Fails with `Forbidden` unless the account is a reviewer or an admin. */
export const requireReviewer = (account: Account): Either.Either<void, Forbidden> =>
  mayReview(account) ? Either.void : Either.left(new Forbidden({ reason: "This is for reviewers and admins" }))

/** The error when the account that wants to decide is in the team of the app. `decideWithoutOwn` handles this error. */
export class OwnWork extends Schema.TaggedError<OwnWork>()("OwnWork", {}) {
  override get message(): string {
    return "The reviewer is in the team of the app"
  }
}

/** Fails with `Forbidden` unless the account is an admin. */
export const requireAdmin = (account: Account): Either.Either<void, Forbidden> =>
  hasRole(account, "admin") ? Either.void : Either.left(new Forbidden({ reason: "This is for admins" }))
