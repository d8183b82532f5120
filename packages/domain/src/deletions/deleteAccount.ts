import { Effect, Option } from "effect"
import { type Account, checkPassword } from "../accounts/index.js"
import { AuditEvent, recordAudit } from "../audit/index.js"
import { everything, type PeopleLeases } from "../leases/WorkLeases.js"
import { NotFound, program, Timestamp } from "../shared/index.js"
import * as AccountDeletion from "./AccountDeletion.js"
import { nextLook } from "./AccountDeletion.js"
import { AccountDeletionStore, type Leftover } from "./AccountDeletionStore.js"

export interface Confirmation {
  /** The password, although the user is signed in: somebody else may use a browser that was left open. */
  readonly password: string
  /** The network address of the request. */
  readonly address: string
  /** `SignIn.knownBrowser`. */
  readonly knownBrowser?: string | undefined
}

/**
 * Deletes the account at once; `removeDeleted` deletes its remaining rows. Counts as an attempt to sign in and fails
 * like one. `Conflict` for the last admin, `NotFound` when the account was deleted meanwhile.
 */
export const deleteAccount = program("deleteAccount", function* (account: Account.Account, confirmation: Confirmation) {
  const { id } = yield* checkPassword({ ...confirmation, email: account.email })
  // After the session was checked, the account may have been deleted and its e-mail given to a new one: use the id that
  // was checked.
  const begun =
    id === account.id ? yield* (yield* AccountDeletionStore).begin(id, AccountDeletion.decide) : Option.none()
  yield* yield* Effect.mapError(begun, () => new NotFound({ what: "account" }))
  // The event names no account, because no event may name an account that is gone.
  yield* recordAudit({ userId: null, actor: AuditEvent.OWNER, detail: { kind: "account_deleted" } })
})

/** What deleting the account would do: which apps end with the account, and whether the account is the last admin. */
export const describeDeletion = program("describeDeletion", function* (account: Account.Account) {
  const state = yield* (yield* AccountDeletionStore).describe(account.id)
  return yield* Effect.mapError(state, () => new NotFound({ what: "account" }))
})

/** The most accounts that one read returns. */
const BATCH = 10
/** The most rows of one table in one statement: few enough that other statements do not wait. */
const ROWS = 1_000
/**
 * How long a worker deletes rows of one account before it goes on with the next account. An account whose worker died
 * is due again after this time, so an account whose deletion crashes workers cannot crash a worker every minute.
 */
const TURN = 10 * Timestamp.MINUTE

/**
 * Deletes rows of deleted accounts of these people, and returns how many accounts it finished: accounts without rows
 * that were checked for the last time (`nextLook`). May be interrupted and repeated.
 */
export const removeDeleted = program("removeDeleted", function* (people: PeopleLeases = everything.people) {
  const store = yield* AccountDeletionStore
  let finished = 0
  for (const leftover of yield* store.due(yield* people.buckets, BATCH, yield* Timestamp.now)) {
    if (Option.contains(yield* people.using(leftover.userId, removeOne(leftover)), true)) finished++
  }
  return finished
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
