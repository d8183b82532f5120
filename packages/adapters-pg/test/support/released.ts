import { createHash } from "node:crypto"

/**
 * The migrations of every released version, in order; each release adds its migrations. Databases in use have applied
 * these migrations, so a released migration never changes.
 */
export const released: ReadonlyArray<string> = []

/** `digestOf` of the released migrations. */
export const releasedDigest = "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"

/** SHA-256 of the statements. Their comments and blanks do not count, because these change nothing in a database. */
export const digestOf = (migrations: ReadonlyArray<ReadonlyArray<string>>): string => {
  const plain = migrations.map((statements) => statements.map((one) => one.replaceAll(/--.*/g, "").match(/\S+/g)))
  return createHash("sha256").update(JSON.stringify(plain)).digest("hex")
}
