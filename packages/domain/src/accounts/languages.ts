import { type Language, program, type UserId } from "../shared/index.js"
import type { Account } from "./Account.js"
import { AccountStore } from "./AccountStore.js"

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
