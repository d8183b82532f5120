import { Array, Effect, Option } from "effect"
import { type Account, AccountStore, checkPassword } from "../accounts/index.js"
import { announceAudit, AuditEvent, recordAudit } from "../audit/index.js"
import type { PeopleLeases } from "../leases/WorkLeases.js"
import { NotFound, program, Timestamp, type UserId } from "../shared/index.js"
import * as AccountDeletion from "./AccountDeletion.js"
import { nextLook } from "./AccountDeletion.js"
import { AccountDeletionStore, type Leftover } from "./AccountDeletionStore.js"

export interface Confirmation {
  /**
   * The password. It is required although the user is signed in, because somebody else may use a browser that was left
   * open.
   */
  readonly password: string
  /** The network address of the request. */
  readonly address: string
  /** The cookie of a `KnownBrowser`, if the request has one. */
  readonly knownBrowser?: string | undefined
}

/**
 * Deletes the account immediately; `removeDeleted` later deletes its remaining rows. The check of the password counts
 * as an attempt to sign in, and fails with the errors of `checkPassword`. Fails with `Conflict` for the last admin.
 * When the account was deleted meanwhile, fails with `NotFound` or with an error of `checkPassword`.
 */
export const deleteAccount = program("deleteAccount", function* (account: Account.Account, confirmation: Confirmation) {
  const { id } = yield* checkPassword({ ...confirmation, email: account.email })
  // Between the check of the session and the check of the password, the account may have been deleted, and a new
  // account may have got its e-mail address. The new account must not be deleted.
  if (id !== account.id) return yield* new NotFound({ what: "account" })
  yield* beginDeletion(id, AccountDeletion.decide)
  // `userId` is null, because the audit log must not name an account that is deleted.
  yield* recordAudit({ userId: null, actor: AuditEvent.OWNER, detail: { kind: "account_deleted" } })
})

type Decide = Parameters<(typeof AccountDeletionStore.Service)["begin"]>[1]

/**
 * Begins the deletion of an account. The store writes the audit events about the heirs of apps, and this program also
 * writes them to the service's log. Fails with `NotFound` for an unknown account, and with `Conflict` when `decide`
 * refuses.
 */
export const beginDeletion = program("beginDeletion", function* (id: UserId, decide: Decide) {
  const begun = yield* (yield* AccountDeletionStore).begin(id, decide)
  const { inheritances } = yield* yield* Effect.mapError(begun, () => new NotFound({ what: "account" }))
  for (const { audit } of inheritances) yield* announceAudit(audit)
})

/**
 * The effects that a deletion of the account would have: which apps end with the account or pass to another owner, how
 * many other people have connected each app, and whether the account is the last admin. Fails with `NotFound` when the
 * account was deleted meanwhile.
 */
export const describeDeletion = program("describeDeletion", function* (account: Account.Account) {
  const state = yield* (yield* AccountDeletionStore).describe(account.id)
  return yield* Effect.mapError(state, () => new NotFound({ what: "account" }))
})

/** Whether no account has this id. For an id that an account once had, this means that the account was deleted. */
export const isDeleted = program("isDeleted", function* (id: UserId) {
  return Option.isNone(yield* (yield* AccountStore).find(id))
})

/**
 * The limit of the first call of `AccountDeletionStore.due`. `removeDeleted` raises the limit when it has already begun
 * with every account that the call returned.
 */
const BATCH = 10
/**
 * How many accounts a worker removes at the same time. With only one at a time, other due accounts would wait for an
 * account with a long history.
 */
const AT_ONCE = 4
/** How many rows of one table one statement deletes at most. With more rows, other statements would wait too long. */
const ROWS = 1_000
/**
 * How long a worker deletes rows of one account before it goes on with the next account, in milliseconds. When a worker
 * dies, the account is due again only after this time. Otherwise an account whose deletion crashes workers would crash
 * a worker every minute.
 */
const TURN = 10 * Timestamp.MINUTE

/**
 * Deletes the remaining rows of all deleted accounts that are due and whose bucket this worker leases (`people`).
 * Returns the number of finished accounts: they have no rows left and their last check is done (`nextLook`). May be
 * interrupted and repeated.
 */
export const removeDeleted = program("removeDeleted", function* (people: PeopleLeases) {
  const store = yield* AccountDeletionStore
  const begun = new Set<UserId>()
  let limit = BATCH
  const one = yield* Effect.makeSemaphore(1)
  // An account stays due when its next check could not be stored, or when the worker has lost its bucket. This run does
  // not begin with the account again, because that would fail again. Such accounts have been due for the longest time,
  // so they come first in the list. When they fill the list, the worker reads a longer one to find other accounts.
  const nextDue = one.withPermits(1)(
    Effect.gen(function* () {
      for (;;) {
        const due = yield* store.due(yield* people.buckets, limit, yield* Timestamp.now)
        const next = due.find(({ userId }) => !begun.has(userId))
        if (next !== undefined) begun.add(next.userId)
        if (next !== undefined || due.length < limit) return next
        limit += BATCH
      }
    })
  )
  const removeOneByOne = Effect.gen(function* () {
    let finished = 0
    for (let next = yield* nextDue; next !== undefined; next = yield* nextDue) {
      const outcome = yield* people.using(next.userId, removeOne(next))
      if (Option.contains(outcome, true)) finished += 1
    }
    return finished
  })
  const finished = yield* Effect.all(Array.replicate(removeOneByOne, AT_ONCE), { concurrency: AT_ONCE })
  return finished.reduce((sum, count) => sum + count, 0)
})

const removeOne = ({ requestedAt, userId }: Leftover) =>
  Effect.gen(function* () {
    const store = yield* AccountDeletionStore
    let now = yield* Timestamp.now
    const until = Timestamp.plus(now, TURN)
    yield* store.lookAgain(userId, until)
    while ((yield* store.removeSome(userId, now, ROWS)) > 0) {
      now = yield* Timestamp.now
      if (now >= until) return false
    }
    const next = nextLook(requestedAt, now)
    yield* next === null ? store.finish(userId) : store.lookAgain(userId, next)
    return next === null
  }).pipe(
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning("A deleted account's rows could not be removed, later again", userId, error), false)
    )
  )
