// Recovery codes, for an owner who lost the phone. Decision factors-5.
import { Effect } from "effect"
import { Entropy, type UserId, Vault } from "../shared/index.js"

export const COUNT = 10

/**
 * The number of characters of a code. Its 80 random bits are too many for an attacker who has the digest and tries all
 * codes.
 */
const LENGTH = 16

/** Writes a code of sixteen characters of Crockford's base 32 in groups of four: `7hqk-02mb-…`. */
const show = (text: string): string => (text.match(/.{4}/g) ?? []).join("-")

/**
 * The typed code in the form that is hashed: without blanks and hyphens, in lower case, O as 0, I and L as 1. Null when
 * the text is no code.
 */
export const parse = (typed: string): string | null => {
  const text = typed.toLowerCase().replace(/[\s-]/g, "").replaceAll("o", "0").replace(/[il]/g, "1")
  return new RegExp(`^[0-9a-hjkmnp-tv-z]{${LENGTH}}$`).test(text) ? text : null
}

/**
 * The digest that is stored in place of a code. It includes the owner's id, so equal codes of two people have different
 * digests.
 */
export const digest = ({ sha256 }: Pick<Vault.Vault["Type"], "sha256">, owner: UserId, code: string): Vault.Hash =>
  sha256(`recovery-code ${owner} ${code}`)

/** Makes `COUNT` new codes: the texts, which are shown once, and their digests, which are stored. */
export const make = (owner: UserId) =>
  Effect.gen(function* () {
    const vault = yield* Vault.Vault
    const secrets = yield* Effect.replicateEffect(Entropy.secret, COUNT)
    const codes = secrets.map((secret) => secret.slice(0, LENGTH))
    return { shown: codes.map(show), digests: codes.map((code) => digest(vault, owner, code)) }
  })
