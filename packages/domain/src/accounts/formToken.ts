import { Effect, Option } from "effect"
import { Vault, program } from "../shared/index.js"

/**
 * The CSRF token of an HTML form (decision A3). It is derived from the session's cookie, so no other site can make one.
 * `form` limits the token further, for example to one consent request; the check must name the same form.
 */
export const formToken = program("formToken", function* (cookie: string, form: string = "") {
  const vault = yield* Vault.Vault
  return `${vault.currentKey}.${yield* vault.derive("form-token", vault.currentKey, material(cookie, form))}`
})

/** Whether `token` was made for this session and form, with the present key or an older one that is still accepted. */
export const checkFormToken = program("checkFormToken", function* (cookie: string, token: string, form: string = "") {
  const vault = yield* Vault.Vault
  const cut = token.lastIndexOf(".")
  const key = vault.keys.find((candidate) => candidate === token.slice(0, Math.max(cut, 0)))
  if (key === undefined) return false
  const expected = yield* Effect.option(vault.derive("form-token", key, material(cookie, form)))
  return Option.isSome(expected) && vault.equal(expected.value, token.slice(cut + 1))
})

// A cookie has no line break, so two different pairs of cookie and form never give the same text.
const material = (cookie: string, form: string): string => `${cookie}\n${form}`
