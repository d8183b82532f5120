import { hasRole, isPerson, type StaffRole } from "../../../src/accounts/Account.js"
import type { UserId } from "../../../src/shared/Ids.js"
import type { Tables } from "../MemoryDatabase.js"

/** Whether there is a person whose account is not in `ids`, has one of the roles and is not suspended. */
export const hasAnotherOfStaff = (
  { accounts }: Pick<Tables, "accounts">,
  ids: ReadonlyArray<UserId>,
  roles: ReadonlyArray<StaffRole>
): boolean =>
  [...accounts.values()].some(
    ({ account }) =>
      isPerson(account) &&
      !ids.includes(account.id) &&
      account.suspendedAt === null &&
      roles.some((role) => hasRole(account, role))
  )
