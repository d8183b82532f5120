// Refuses passwords that are long enough but that attackers try first, such as common passwords and passwords of one
// repeated character. Decision accounts-7.
import type { Account, Password } from "./Account.js"

/** The owner of the password. Attackers try passwords that are made from the owner's e-mail address and name. */
export type PasswordOwner = Pick<Account, "email" | "displayName">

/** Whether a text, in lower case, is one of the commonest passwords (`PasswordHasher.common`). */
export type IsCommon = (text: string) => boolean

/**
 * A common password is also refused with digits and signs before or after it, if there are at most this many of them.
 * For example, `dragon2026!` has five.
 */
const PADDING_MAX = 6

/**
 * Cores with fewer characters are not checked. A core is what is left of a password when digits and signs are removed
 * from its ends (`coresOf`). A password has at least ten characters, and at most `PADDING_MAX` of them are removed, so
 * a core usually has at least four. Only a password that becomes shorter in Unicode form NFKC can have a shorter core.
 */
const CORE_MIN = 4

/**
 * Why the password is refused, as words that follow the name of its field (“must not …”); undefined when it is
 * accepted.
 */
export const refusal = (password: Password, owner: PasswordOwner, isCommon: IsCommon): string | undefined => {
  const text = password.normalize("NFKC").toLowerCase()
  const candidates = coresOf(text)
  const own = ownWords(owner)
  if (candidates.some((one) => own.has(one))) return "must not be made from your e-mail address or your name"
  return candidates.some((one) => isCommon(one) || new Set(one).size === 1)
    ? "is one of the passwords that attackers try first. Choose another one, for example four words that do not belong together"
    : undefined
}

/**
 * Removes digits and signs from the ends of the text, up to `PADDING_MAX` of them, in every possible way, and returns
 * the rest for each way, unless the rest is shorter than `CORE_MIN`. To remove as many as possible would not be enough:
 * a common password may itself begin or end with digits, as in `qwerty123456!`.
 */
const coresOf = (text: string): ReadonlyArray<string> => {
  const characters = [...text]
  const before = paddingOf(characters)
  const after = paddingOf(characters.toReversed())
  const cores: Array<string> = []
  for (let start = 0; start <= Math.min(before, PADDING_MAX); start++) {
    for (let cut = 0; cut <= Math.min(after, PADDING_MAX - start); cut++) {
      const core = characters.slice(start, characters.length - cut)
      if (core.length >= CORE_MIN) cores.push(core.join(""))
    }
  }
  return cores
}

/** The number of characters before the first letter. Without a letter, the number of all characters. */
const paddingOf = (characters: ReadonlyArray<string>): number => {
  const first = characters.findIndex((character) => /\p{L}/u.test(character))
  return first === -1 ? characters.length : first
}

const ownWords = ({ displayName, email }: PasswordOwner): ReadonlySet<string> => {
  const name = displayName.normalize("NFKC").toLowerCase()
  const local = email.slice(0, email.lastIndexOf("@"))
  return new Set([email, local, name, name.replaceAll(" ", "")].filter((word) => word.length >= 4))
}
