import { KeyCanary, KeyUsage, Reencryption } from "@place-access/adapters-pg"
import { Vault, Words } from "@place-access/domain/shared"
import { CannotStart } from "@place-access/worker"
import { Effect } from "effect"
import type { Output } from "./AccountCommand.js"
import { keysStatus } from "./keysStatus.js"

/**
 * Encrypts stored secrets again with the newest key, and then reports the status of the keys. Refuses while no server
 * or worker has started with the newest key in front: the running programs could not read what it encrypts.
 */
export const keysReencrypt = Effect.gen(function* () {
  const { currentKey } = yield* Vault.Vault
  yield* KeyCanary.check()
  const used = yield* KeyUsage.count()
  if (used.some(({ keyId, where }) => where === KeyCanary.COLUMN && keyId !== currentKey)) {
    return yield* new CannotStart({
      fault: "settings",
      message:
        `No server or worker has started with the key "${currentKey}" in front yet. ` +
        "First restart all of them with these SECRET_KEYS. Nothing was changed."
    })
  }
  const done = yield* Reencryption.run()
  const status = yield* keysStatus
  const output: Output = {
    line: { reencrypted: done, ...status.line },
    sentences: [...sentences(done, currentKey), ...status.sentences]
  }
  return output
}).pipe(
  Effect.catchTags({
    SqlError: () => new CannotStart({ message: "The database cannot be read. Try npm start -- doctor" }),
    ParseError: () => new CannotStart({ message: "The database cannot be read. Try npm start -- doctor" }),
    WrongKeys: ({ keyId }) =>
      new CannotStart({
        fault: "settings",
        message:
          `The keys in SECRET_KEYS are not those of this database, which was last used with a key "${keyId}". ` +
          "Nothing was changed."
      })
  })
)

const sentences = (done: ReadonlyArray<Reencryption.Reencrypted>, key: Vault.KeyId): ReadonlyArray<string> => {
  const listed = (of: "rows" | "unreadable") =>
    done.flatMap((one) => (one[of] === 0 ? [] : [`  ${one.where}: ${one[of]}`]))
  const total = (of: "rows" | "unreadable") => done.reduce((sum, one) => sum + one[of], 0)
  const [rows, unreadable] = [total("rows"), total("unreadable")]
  return [
    rows === 0 ? "Nothing was encrypted again." : `Encrypted ${Words.count(rows, "row")} again with the key "${key}":`,
    ...listed("rows"),
    ...(unreadable === 0
      ? []
      : [
          `Left ${Words.count(unreadable, "row")} that cannot be decrypted: the key is missing, or the value is damaged:`
        ]),
    ...listed("unreadable")
  ]
}
