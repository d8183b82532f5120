import { hasRole, isPerson, type StaffRole } from "../../../src/accounts/Account.js"
import type { UserId } from "../../../src/shared/Ids.js"
import type { Tables } from "../MemoryDatabase.js"

/** Whether another person has one of the roles. Accounts in `ids` and suspended accounts do not count. */
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
