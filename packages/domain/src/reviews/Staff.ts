import { Either, Schema } from "effect"
import { type Account, hasRole, type StaffRole } from "../accounts/Account.js"
import { Forbidden } from "../shared/Errors.js"

/**
 * `reviews`: the roles that approve and reject apps and purposes. `scopes`: the roles that limit the scopes of an app.
 * `decideWithoutOwn` gets one of these lists.
 */
export const DECIDING: Readonly<Record<"reviews" | "scopes", ReadonlyArray<StaffRole>>> = {
  reviews: ["reviewer", "admin"],
  scopes: ["admin"]
}

/** Whether the account may decide about other people's apps (decision P2). An admin may do all that a reviewer may. */
const mayReview = (account: Account): boolean => hasRole(account, "reviewer") || hasRole(account, "admin")

/** Fails with `Forbidden` unless the account is a reviewer or an admin. */
export const requireReviewer = (account: Account): Either.Either<void, Forbidden> =>
  mayReview(account) ? Either.void : Either.left(new Forbidden({ reason: "This is for reviewers and admins" }))

/** The account that decides is in the team of the app. `decideWithoutOwn` handles this error. */
export class OwnWork extends Schema.TaggedError<OwnWork>()("OwnWork", {}) {
  override get message(): string {
    return "The reviewer is in the team of the app"
  }
}

/** Fails with `Forbidden` unless the account is an admin. */
export const requireAdmin = (account: Account): Either.Either<void, Forbidden> =>
  hasRole(account, "admin") ? Either.void : Either.left(new Forbidden({ reason: "This is for admins" }))
