import { Context, type Either, type Option } from "effect"
import type { Account } from "../accounts/Account.js"
import type { Conflict, Page, StoreEffect, UserId } from "../shared/index.js"
import type { AccountStep } from "./AccountChange.js"

/** The port through which the people who run the service change and list accounts. Decisions staff-1 and staff-2. */
export class StaffStore extends Context.Tag("@place-access/domain/staff/StaffStore")<
  StaffStore,
  {
    /**
     * Locks the account, and all admins, so that two changes at the same time cannot leave the service without an
     * admin. Then reads the clock and calls `step`. One transaction then does the following:
     * - It stores the roles, the suspension, the address and the time of the address's confirmation.
     * - It copies the suspension to the apps of the account. A suspension that ends is added to the past suspensions of
     *   the account and of its apps.
     * - When the suspension begins or ends, it deletes the invitations into teams that the account sent, and their
     *   mails.
     * - It queues the notice and stores the audit event.
     *
     * The result is `Conflict` when another account has confirmed the new address. Another account that has the new
     * address and never confirmed it loses the address (`SignUpRequest.releasedEmail`). Returns the account after the
     * change. None when there is no account with this id, and for an account that belongs to no person
     * (`Account.isPerson`).
     */
    readonly change: (id: UserId, step: AccountStep) => StoreEffect<Option.Option<Either.Either<Account, Conflict>>>
    /**
     * All accounts of people (`Account.isPerson`), newest first, then by descending id.
     */
    readonly list: (limit: number, after: Page.PagePosition | undefined) => StoreEffect<Page.Page<Account>>
  }
>() {}
