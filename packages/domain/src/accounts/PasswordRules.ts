// Which passwords are refused although they are long enough. Decision accounts-7.
import type { Account, Password } from "./Account.js"

/** The password's owner. Guesses about a person begin with their address and name. */
export type PasswordOwner = Pick<Account, "email" | "displayName">

/** Whether a text, in lower case, is one of the commonest passwords (`PasswordHasher.common`). */
export type IsCommon = (text: string) => boolean

/** A common password with up to this many digits and signs around it is still refused: `dragon2026!`. */
const PADDING_MAX = 6

/**
 * Why the password is refused, worded to follow the name of its field (“must not …”); undefined when it is accepted.
 */
export const refusal = (password: Password, owner: PasswordOwner, isCommon: IsCommon): string | undefined => {
  const text = password.normalize("NFKC").toLowerCase()
  const candidates = [text, ...withoutPadding(text)]
  const own = ownWords(owner)
  if (candidates.some((one) => own.has(one))) return "must not be made from your e-mail address or your name"
  return candidates.some(isCommon)
    ? "is one of the passwords that attackers try first. Choose another one, for example four words that do not belong together"
    : undefined
}

/**
 * The text without the digits and signs at its ends. Empty when there are none or more than `PADDING_MAX` of them, and
 * when fewer than four characters are left.
 */
const withoutPadding = (text: string): ReadonlyArray<string> => {
  const core = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "")
  const padding = [...text].length - [...core].length
  return core.length >= 4 && padding > 0 && padding <= PADDING_MAX ? [core] : []
}

const ownWords = ({ displayName, email }: PasswordOwner): ReadonlySet<string> => {
  const name = displayName.normalize("NFKC").toLowerCase()
  const local = email.slice(0, email.lastIndexOf("@"))
  return new Set([email, local, name, name.replaceAll(" ", "")].filter((word) => word.length >= 4))
}
