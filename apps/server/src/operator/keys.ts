import { KeyCanary, type KeyUsage, Reencryption } from "@place-access/adapters-pg"
import { Vault } from "@place-access/domain/shared"
import { Effect } from "effect"

/**
 * The status of one key. It names the key by its id and never contains the key itself. In this file, SECRET_KEYS means
 * the keys of the service: an embedded database without this setting has its keys in a file of the data folder.
 */
export interface KeyStatus {
  readonly id: string
  /**
   * Current: the key seals new values. Older: it is in SECRET_KEYS after the current one. Absent: values in the
   * database need the key, and SECRET_KEYS lacks it.
   */
  readonly state: "current" | "older" | "absent"
  /** How many values in the database need the key. */
  readonly count: number
  readonly uses: ReadonlyArray<{ readonly where: string; readonly count: number }>
}

/** The keys in SECRET_KEYS, newest first, then the keys that values in the database need and SECRET_KEYS lacks. */
export const summary = (
  used: ReadonlyArray<KeyUsage.SealedCount>
): Effect.Effect<ReadonlyArray<KeyStatus>, never, Vault.Vault> =>
  Effect.map(Vault.Vault, ({ currentKey, keys }) => {
    const given: ReadonlyArray<string> = keys
    const ids = [...given, ...new Set(used.map(({ keyId }) => keyId).filter((id) => !given.includes(id)))]
    return ids.map((id): KeyStatus => {
      const uses = used.flatMap(({ count, keyId, where }) => (keyId === id ? [{ where, count }] : []))
      return {
        id,
        state: id === currentKey ? "current" : given.includes(id) ? "older" : "absent",
        count: uses.reduce((sum, { count }) => sum + count, 0),
        uses
      }
    })
  })

/** What an operator should do about a key; null when nothing is to do. */
export const adviceFor = ({ count, id, state, uses }: KeyStatus): string | null =>
  state === "absent"
    ? `Put the key "${id}" back into SECRET_KEYS, behind the newer ones.`
    : state === "older"
      ? count === 0
        ? "It can go: nothing in the database needs it. Keep it elsewhere as long as you keep backups from before, which need it. Cursors, open forms, unfinished sign-ins and unused set-up links of phones that were made with it stop working, and browsers that signed in before it was replaced count as new."
        : `It must stay: what it sealed could not be read without it. ${HOW_TO_END[endOf(uses)]}`
      : null

/** Says why an older key is still needed, or what ends the need for it. */
const HOW_TO_END = {
  start: "The server or worker that started last had this key in front.",
  reencrypt:
    "npm start -- keys reencrypt encrypts stored secrets again with the current key, if they can be decrypted.",
  wait: "What still needs it is deleted within a week."
}

const endOf = (uses: KeyStatus["uses"]): keyof typeof HOW_TO_END =>
  uses.some(({ where }) => where === KeyCanary.COLUMN)
    ? "start"
    : uses.some(({ where }) => Reencryption.COLUMNS.includes(where))
      ? "reencrypt"
      : "wait"
