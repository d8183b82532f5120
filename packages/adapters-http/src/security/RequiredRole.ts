import type { Account } from "@place-access/domain/accounts"
import { Staff } from "@place-access/domain/reviews"
import { type Forbidden } from "@place-access/domain/shared"
import { Context, type Either } from "effect"

/** Who may call an endpoint (decision P2). `reviewer`: reviewers and admins. `admin`: only admins. */
export type RoleRequirement = "reviewer" | "admin"

/**
 * Annotation of endpoints behind `SessionAuth` that need a role: `.annotate(RequiredRole, "reviewer")`. The role is
 * checked before the body is decoded, so that 403 comes before 400. The programs behind the endpoint check the role
 * again.
 */
export class RequiredRole extends Context.Tag("@place-access/adapters-http/security/RequiredRole")<
  RequiredRole,
  RoleRequirement
>() {}

export const check: Readonly<Record<RoleRequirement, (account: Account.Account) => Either.Either<void, Forbidden>>> = {
  reviewer: Staff.requireReviewer,
  admin: Staff.requireAdmin
}
