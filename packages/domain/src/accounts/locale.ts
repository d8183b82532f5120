// The time zone and the language of an account. Decisions accounts-19 and accounts-20.
import { Option } from "effect"
import { type Language, program, TimeZone, type UserId } from "../shared/index.js"
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

/**
 * Stores the language of the browser that signs in, if the account has none. `named` null: the browser names no
 * language that we have, and nothing is stored.
 */
export const learnLanguage = program(
  "learnLanguage",
  function* ({ browserLanguage, id }: Pick<Account, "browserLanguage" | "id">, named: Language.Language | null) {
    if (browserLanguage !== null || named === null) return
    yield* (yield* AccountStore).learnLanguage(id, named)
  }
)

/** Stores the language that the owner chose. Null: pages follow the browser again. */
export const chooseLanguage = program("chooseLanguage", function* (id: UserId, language: Language.Language | null) {
  yield* (yield* AccountStore).chooseLanguage(id, language)
})
