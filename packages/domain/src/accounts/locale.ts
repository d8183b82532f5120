// The time zone and the language of an account. Decisions accounts-19 and accounts-20.
import { Option } from "effect"
import { type Language, program, TimeZone, type UserId } from "../shared/index.js"
import type { Account } from "./Account.js"
import { AccountStore } from "./AccountStore.js"

/**
 * Stores the time zone that a browser names at a sign-in, if the account has none. A name that is no time zone is
 * ignored, because the sign-in must not fail for this reason.
 */
export const learnTimeZone = program(
  "learnTimeZone",
  function* ({ id, timeZone }: Pick<Account, "id" | "timeZone">, named: string | undefined) {
    if (timeZone !== null || named === undefined || Option.isNone(TimeZone.find(named))) return
    yield* (yield* AccountStore).learnTimeZone(id, named)
  }
)

/** Stores the time zone that the owner chose. `name` must be a `TimeZone.Name`. */
export const chooseTimeZone = program("chooseTimeZone", function* (id: UserId, name: string) {
  yield* (yield* AccountStore).chooseTimeZone(id, name)
})

/**
 * Stores the language of the browser that signs in, if the account has none. `named` null: the browser names no
 * language of the service, and nothing is stored.
 */
export const learnLanguage = program(
  "learnLanguage",
  function* ({ browserLanguage, id }: Pick<Account, "browserLanguage" | "id">, named: Language.Language | null) {
    if (browserLanguage !== null || named === null) return
    yield* (yield* AccountStore).learnLanguage(id, named)
  }
)

/**
 * Stores the language that the owner chose. Null removes the choice: pages are then in the language of each browser.
 */
export const chooseLanguage = program("chooseLanguage", function* (id: UserId, language: Language.Language | null) {
  yield* (yield* AccountStore).chooseLanguage(id, language)
})
