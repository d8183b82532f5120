// Estimates how hard a password is to guess. Decision accounts-8.

/**
 * How hard a new password is to guess, as a page tells its owner. Weak passwords are accepted: only `Account.Password`
 * (by length) and `PasswordRules` refuse passwords.
 */
export type PasswordStrength = "weak" | "fair" | "strong"

/**
 * The limits between weak, fair and strong passwords, in bits: the base-2 logarithm of the number of guesses that an
 * attacker needs.
 */
const FAIR_BITS = 42
const STRONG_BITS = 60

/**
 * How strong the password is. Only the characters that an attacker cannot foresee count. A character does not count
 * when it repeats the previous character, when it continues a row such as `abc` or `321`, or when it completes a group
 * of three characters that the password already contains.
 */
export const of = (password: string): PasswordStrength => {
  const bits = unforeseen(password) * Math.log2(alphabet(password))
  return bits < FAIR_BITS ? "weak" : bits < STRONG_BITS ? "fair" : "strong"
}

const unforeseen = (password: string): number => {
  const points = Array.from(password.toLowerCase(), (character) => character.codePointAt(0) ?? 0)
  const seen = new Set<string>()
  return points.filter((point, index) => {
    const before = points[index - 1]
    if (before === undefined) return true
    const piece = points.slice(Math.max(0, index - 2), index + 1).join(" ")
    const isCopy = index >= 2 && seen.has(piece)
    if (index >= 2) seen.add(piece)
    return Math.abs(point - before) > 1 && !isCopy
  }).length
}

/**
 * The number of characters that an attacker is assumed to try at each position. Each kind of character (small letters,
 * capitals, digits, signs) adds only 8 and not the size of its alphabet, because long texts of letters are likely to be
 * words.
 */
const alphabet = (password: string): number =>
  (/\p{Ll}/u.test(password) ? 8 : 0) +
  (/\p{Lu}/u.test(password) ? 8 : 0) +
  (/\d/.test(password) ? 8 : 0) +
  (/[^\p{L}\d]/u.test(password) ? 8 : 0) +
  2

/** What a page says about the password that its owner has just set. */
export const words: Readonly<Record<PasswordStrength, string>> = {
  weak: "It is weak: a program that knows how people choose passwords may guess it. One more word makes it better.",
  fair: "It is fairly good. One more word would make it hard to guess even for a patient attacker.",
  strong: "It is strong: guessing it would take far longer than anybody tries."
}
