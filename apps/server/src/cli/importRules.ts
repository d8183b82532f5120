import { importRules as importAll, type RuleImport } from "@place-access/domain/legacy"
import { Words } from "@place-access/domain/shared"
import { CannotStart } from "@place-access/worker/host"
import { Console, Effect } from "effect"
import { readFile } from "node:fs/promises"

/** For operators who migrate: rules with addresses and secrets of their own (Spec §6.4.9). All of the file, or nothing. */
export const importRules = (file: string) =>
  Effect.gen(function* () {
    const text = yield* Effect.tryPromise({
      try: () => readFile(file, "utf8"),
      catch: () => new CannotStart({ message: `The file ${file} cannot be read; nothing was changed.` })
    })
    const { imported, known } = yield* importAll(text).pipe(
      Effect.catchTags({
        RulesNotImported: ({ faults }) => new CannotStart({ message: explain(faults) }),
        StoreError: () => new CannotStart({ message: "The database could not store the rules; nothing was changed." })
      })
    )
    yield* Console.log(`${Words.count(imported, "rule")} imported.`)
    if (known > 0) yield* Console.log(`${Words.count(known, "rule")} had been imported before.`)
  })

const explain = (faults: ReadonlyArray<RuleImport.Fault>): string =>
  [
    "Nothing was imported:",
    ...faults.map(({ field, line, message }) => `  line ${line}: ${field === null ? message : `${field} ${message}`}`)
  ].join("\n")
