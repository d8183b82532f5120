import { Option } from "effect"
import { program, TimeZone, type UserId } from "../shared/index.js"
import type { Account } from "./Account.js"
import { AccountStore } from "./AccountStore.js"

/**
 * Stores the zone that a browser names at a sign-in, if the account has none. A name that is no zone is ignored: the
 * sign-in must not fail because of it.
 */
export const learnTimeZone = program(
  "learnTimeZone",
  function* ({ id, timeZone }: Pick<Account, "id" | "timeZone">, named: string | undefined) {
    if (timeZone !== null || named === undefined || Option.isNone(TimeZone.find(named))) return
    yield* (yield* AccountStore).learnTimeZone(id, named)
  }
)

/** Stores the zone that the owner chose. `name` is a `TimeZone.Name`. */
export const chooseTimeZone = program("chooseTimeZone", function* (id: UserId, name: string) {
  yield* (yield* AccountStore).chooseTimeZone(id, name)
})
