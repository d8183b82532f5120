import { Effect } from "effect"
import type { Account, StaffRole } from "../accounts/Account.js"
import { AccountStore } from "../accounts/AccountStore.js"
import { Forbidden, program, type UserId } from "../shared/index.js"
import type { OwnWork } from "./Staff.js"

type Decide<A, E, R> = (mayBeOwn: boolean) => Effect.Effect<A, E | OwnWork, R>

/**
 * Makes sure that nobody decides about their own apps and purposes while somebody else can (decision reviews-1).
 * `decide(false)` fails with `OwnWork` when the account is in the team of the app. In this case the program fails with
 * `Forbidden` if somebody else can decide: an account outside `team` (the team of the app) that has one of `roles` and
 * is not suspended. If nobody else can decide, `decide(true)` runs, so that the only reviewer of a service can approve
 * their own apps.
 */
export const decideWithoutOwn = program("decideWithoutOwn", function* <
  A,
  E,
  R
>(account: Account, roles: ReadonlyArray<StaffRole>, team: ReadonlyArray<UserId>, decide: Decide<A, E, R>) {
  const first = yield* Effect.either(decide(false))
  if (first._tag === "Right") return first.right
  if (!isOwnWork(first.left)) return yield* Effect.fail(first.left as Exclude<E, OwnWork>)
  if (!(yield* mayDecide(account, roles, [account.id, ...team]))) {
    return yield* new Forbidden({ reason: "This is your own: another reviewer decides about it" })
  }
  return yield* decide(true) as Effect.Effect<A, Exclude<E, OwnWork>, R>
})

/**
 * Whether `decideWithoutOwn` lets the account decide: the account is outside the team, or nobody else can decide,
 * because every account outside the team that has one of the roles is suspended, or there is none. A page calls this
 * before it shows a form.
 */
export const mayDecide = program(
  "mayDecide",
  function* (account: Account, roles: ReadonlyArray<StaffRole>, team: ReadonlyArray<UserId>) {
    if (!team.includes(account.id)) return true
    return !(yield* (yield* AccountStore).hasAnother(team, roles))
  }
)

const isOwnWork = (error: unknown): error is OwnWork =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "OwnWork"
