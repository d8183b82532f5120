import type { Account } from "@place-access/domain/accounts"
import { Staff } from "@place-access/domain/reviews"
import { type Forbidden } from "@place-access/domain/shared"
import { Context, type Either } from "effect"

/** Who an endpoint is for: reviewers and admins, or admins alone (decision P2). */
export type Requirement = "reviewer" | "admin"

/**
 * Annotation of endpoints behind `SessionAuth` that are not for everybody: `.annotate(RequiredRole, "reviewer")`. It is checked
 * before the body is read, so that 403 comes before 400. The programs behind it ask again.
 */
export class RequiredRole extends Context.Tag("@place-access/adapters-http/security/RequiredRole")<
  RequiredRole,
  Requirement
>() {}

export const check: Readonly<Record<Requirement, (account: Account.Account) => Either.Either<void, Forbidden>>> = {
  reviewer: Staff.requireReviewer,
  admin: Staff.requireAdmin
}
