import { PasswordStrength } from "@place-access/domain/accounts"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { ofDomain } from "../kit/Time.js"

const changed = (strength: PasswordStrength.PasswordStrength): Html =>
  html`${texts.notices["password-changed"]} ${ofDomain(PasswordStrength.words[strength])}`

const NOTICES: Readonly<Record<string, Html>> = {
  ...texts.notices,
  "password-weak": changed("weak"),
  "password-fair": changed("fair"),
  "password-strong": changed("strong")
}

/**
 * The notice that a page shows after one of its forms was posted. `code`: the name of the notice, from the page's
 * address. The address has only the name of the notice and not its text, so nobody can make the page show another text.
 * Null for an unknown name.
 */
export const notice = (code: string): Html | null => {
  const text = Object.hasOwn(NOTICES, code) ? NOTICES[code] : undefined
  return text === undefined ? null : html`<div class="note" role="status"><p>${text}</p></div>`
}
