import { Context, type Either, type Option } from "effect"
import type { Account } from "../accounts/Account.js"
import type { Conflict, Page, StoreEffect, UserId } from "../shared/index.js"
import type { AccountStep } from "./AccountChange.js"

/** Accounts, as those who run the service change and list them. Decisions staff-1 and staff-2. */
export class StaffStore extends Context.Tag("@place-access/domain/staff/StaffStore")<
  StaffStore,
  {
    /**
     * Locks the account, and every other change that could leave no admin; reads the clock; calls `step`. One
     * transaction stores roles, suspension and when the address was confirmed, copies the suspension to the apps of
     * the account, queues the notice and stores the audit event. Returns the account as it is then. None when there is
     * no account of this id.
     */
    readonly change: (id: UserId, step: AccountStep) => StoreEffect<Option.Option<Either.Either<Account, Conflict>>>
    /** All accounts, the newest first, then by descending id. Without test people and NOBODY. */
    readonly list: (limit: number, after: Page.PagePosition | undefined) => StoreEffect<Page.Page<Account>>
  }
>() {}
