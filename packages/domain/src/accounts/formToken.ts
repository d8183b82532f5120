import { Effect, Option } from "effect"
import { Vault } from "../shared/Vault.js"

/**
 * The synchroniser token of an HTML form (decision A3): derived from the session's cookie, so that only a page made for
 * this session carries it. `form` ties it to more, such as one consent request; the check must name the same.
 */
export const formToken = Effect.fn("formToken")(function* (cookie: string, form = "") {
  const vault = yield* Vault
  return `${vault.currentKey}.${yield* vault.derive("form-token", vault.currentKey, material(cookie, form))}`
})

/** Whether `token` was made for this session and form. Tokens made under an older key that is still known are good. */
export const checkFormToken = Effect.fn("checkFormToken")(function* (cookie: string, token: string, form = "") {
  const vault = yield* Vault
  const cut = token.lastIndexOf(".")
  const key = vault.keys.find((candidate) => candidate === token.slice(0, Math.max(cut, 0)))
  if (key === undefined) return false
  const expected = yield* Effect.option(vault.derive("form-token", key, material(cookie, form)))
  return Option.isSome(expected) && vault.equal(expected.value, token.slice(cut + 1))
})

// A cookie has no line break, so that no cookie and form can be read as another pair.
const material = (cookie: string, form: string): string => `${cookie}\n${form}`
