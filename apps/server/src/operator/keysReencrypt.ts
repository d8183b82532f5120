import { Failures, KeyCanary, KeyUsage, Migrator, Reencryption } from "@place-access/adapters-pg"
import { Vault, Words } from "@place-access/domain/shared"
import { CannotStart } from "@place-access/worker"
import { Effect } from "effect"
import type { Output } from "./AccountCommand.js"
import { keysStatus } from "./keysStatus.js"

const unfinished = (error: unknown) =>
  new CannotStart({
    message:
      `The database failed: ${Failures.said(error) ?? "it returned something unexpected"}. ` +
      "What was encrypted again stays so; run the command once more."
  })

/**
 * Encrypts stored secrets again with the newest key, and then reports the status of the keys. Refuses unless this key
 * was also the newest key of the server or worker that started last: programs that lack the key could not read the
 * values that it seals. Also refuses keys that are not those of the database, and a database that lacks migrations.
 */
export const keysReencrypt = Effect.gen(function* () {
  const { currentKey } = yield* Vault.Vault
  yield* KeyCanary.check()
  const missing = yield* Migrator.missing
  if (missing.length > 0) {
    return yield* new CannotStart({
      message:
        `The database has an older schema: ${Words.count(missing.length, "migration is", "migrations are")} missing. ` +
        "Use the release that the database belongs to, or run npm start -- migrate. Nothing was changed."
    })
  }
  const used = yield* KeyUsage.count()
  const canary = used.find(({ where }) => where === KeyCanary.COLUMN)
  if (canary?.keyId !== currentKey) {
    return yield* new CannotStart({
      fault: "settings",
      message:
        `The newest key here is "${currentKey}", and the server or worker that started last had ` +
        `${canary === undefined ? "none" : `"${canary.keyId}"`} as its newest. Start every server and worker with the ` +
        "same keys in the same order, and use these keys here too. Nothing was changed."
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
    MigrationRefused: ({ message }) => new CannotStart({ message: `${message}. Nothing was changed.` }),
    SqlError: unfinished,
    ParseError: unfinished,
    WrongKeys: ({ keyId }) =>
      new CannotStart({
        fault: "settings",
        message:
          `These keys are not those of this database, which was last used with a key "${keyId}". ` +
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
          `${Words.count(unreadable, "row has", "rows have")} a value that cannot be decrypted and stays: ` +
            "its key is missing, or the value is damaged:"
        ]),
    ...listed("unreadable")
  ]
}
