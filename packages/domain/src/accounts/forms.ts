// Protects the forms of pages: a token makes forged forms fail, and when a browser sends a form twice, both answers
// have the same cookie.
import { Effect, Encoding, Either, Option } from "effect"
import { Entropy, Vault, program, Timestamp } from "../shared/index.js"
import type { Account } from "./Account.js"
import { AccountStore } from "./AccountStore.js"
import * as Session from "./Session.js"

/**
 * The CSRF token of an HTML form (decision A3). It is derived from the session's cookie, or, before a sign-in, from the
 * visitor's cookie, so no other site can make the token. `form` limits the token to one form, for example to that of
 * one consent request: `checkFormToken` must get the same `form`.
 */
export const formToken = program("formToken", function* (cookie: string, form: string = "") {
  const vault = yield* Vault.Vault
  return `${vault.currentKey}.${yield* vault.derive("form-token", vault.currentKey, material(cookie, form))}`
})

/**
 * Whether `formToken` made `token` for this cookie and this form, with the present key or an older key that the
 * service still accepts.
 */
export const checkFormToken = program("checkFormToken", function* (cookie: string, token: string, form: string = "") {
  const cut = token.lastIndexOf(".")
  const [keyId, mac] = [token.slice(0, Math.max(cut, 0)), token.slice(cut + 1)]
  return yield* Vault.isSigned("form-token", { keyId, mac, text: material(cookie, form) })
})

// A cookie has no line break, so two different pairs of cookie and form never give the same text.
const material = (cookie: string, form: string): string => `${cookie}\n${form}`

/**
 * Identifies one displayed form in one browser: the form token, and a random text that is new each time the page shows
 * the form. The same form sent twice has the same value. Undefined for a call of the API, and for a form without such a
 * text.
 */
export type SentForm = string | undefined

/**
 * The cookie of a session that a form opens or confirms. A person who presses the button twice sends the form twice,
 * and the browser may discard the first answer. So the cookie is derived from the form, with a key outside the database
 * (decision accounts-21): the second answer then has the same cookie. When `form` is undefined, the cookie is random.
 */
export const newCookie = program("newCookie", function* (form: SentForm) {
  const vault = yield* Vault.Vault
  return form === undefined ? yield* Entropy.secret : yield* cookieOf(vault, vault.currentKey, form)
})

const cookieOf = ({ derive }: Vault.Vault["Type"], key: Vault.KeyId, form: string) =>
  Effect.map(Effect.orDie(derive("session-cookie", key, form)), (text) =>
    Entropy.base32(Either.getOrThrow(Encoding.decodeBase64Url(text)))
  )

/** The session that a form opened or confirmed when it was sent for the first time. */
interface RepeatedSession {
  readonly account: Account
  readonly cookie: string
}

/**
 * The session that this form opened or confirmed: its cookie and its account, if the session is live and was opened or
 * confirmed in the last 15 minutes. Otherwise none, for example when the form is sent for the first time. The caller
 * must check first that the form belongs to the browser.
 */
export const findRepeated = program("findRepeated", function* (form: SentForm) {
  if (form === undefined) return Option.none<RepeatedSession>()
  const vault = yield* Vault.Vault
  const accounts = yield* AccountStore
  const now = yield* Timestamp.now
  for (const key of vault.keys) {
    const cookie = yield* cookieOf(vault, key, form)
    const found = yield* accounts.findSession(vault.sha256(cookie), now)
    if (Option.isSome(found) && Session.isFresh(found.value.session, now)) {
      return Option.some<RepeatedSession>({ account: found.value.account, cookie })
    }
  }
  return Option.none<RepeatedSession>()
})
