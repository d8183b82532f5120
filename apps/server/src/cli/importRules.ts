import { importRules as importAll, type RuleImport } from "@place-access/domain/legacy"
import { Words } from "@place-access/domain/shared"
import { CannotStart, Data } from "@place-access/worker"
import { Console, Effect, Either } from "effect"
import { readFile } from "node:fs/promises"
import { requireDatabase } from "../operator/requireDatabase.js"
import * as Ports from "../Ports.js"
import type { ServerSettings } from "../ServerSettings.js"
import * as Mark from "../virtual/Mark.js"
import { onSharedClock } from "./onSharedClock.js"

/**
 * For operators who migrate from an older service: imports rules that have their own webhook addresses and secrets
 * (Spec §6.4.9). Either the whole file is imported, or nothing.
 */
export const importRules = (file: string) =>
  Effect.gen(function* () {
    const bytes = yield* Effect.tryPromise({
      try: () => readFile(file),
      catch: () => new CannotStart({ message: `The file ${file} cannot be read. Nothing was changed.` })
    })
    const text = yield* Effect.mapError(textOf(bytes), (faults) => new CannotStart({ message: explain(faults) }))
    const { imported, known } = yield* importAll(text).pipe(
      Effect.catchTags({
        RulesNotImported: ({ faults }) => new CannotStart({ message: explain(faults) }),
        // The database may have stored the rules, although its answer was lost.
        StoreError: () =>
          new CannotStart({
            message:
              "The database did not confirm that it stored the rules. Nothing was changed, or all rules were imported. " +
              "Repeat the command: it imports no rule twice."
          })
      })
    )
    yield* Console.log(`${Words.count(imported, "rule")} imported.`)
    if (known > 0) yield* Console.log(`${Words.count(known, "rule")} had been imported before.`)
  })

/**
 * Runs `importRules` on the database of the settings. Refuses when there is no database, or when migrations are
 * missing: the rules belong to connections, so the service is in use, perhaps with an older release (decision staff-7).
 */
export const importRulesInto = (file: string, settings: ServerSettings) =>
  Effect.gen(function* () {
    const { storage } = settings
    yield* Mark.refuseIn(storage)
    if (storage._tag === "Embedded") yield* requireDatabase(storage.dataDir)
    yield* importRules(file).pipe(
      onSharedClock(settings),
      Effect.provide(Ports.layer(settings, Data.WITHOUT_MIGRATING))
    )
  })

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decoded = (bytes: Uint8Array) => Either.try(() => utf8.decode(bytes))

/**
 * The text of the file, or a fault for each line that is not UTF-8. Such a line must not be read with replacement
 * characters: its secret would differ from the receiver's secret, and every signature would be wrong.
 */
const textOf = (bytes: Uint8Array): Either.Either<string, ReadonlyArray<RuleImport.RuleImportFault>> =>
  Either.mapLeft(decoded(bytes), () => {
    const faults: Array<RuleImport.RuleImportFault> = []
    for (let [line, from] = [1, 0]; from <= bytes.length; line++) {
      const end = bytes.indexOf(LINE_FEED, from)
      const until = end === -1 ? bytes.length : end
      if (Either.isLeft(decoded(bytes.subarray(from, until)))) {
        faults.push({ line, field: null, message: "is not UTF-8" })
      }
      from = until + 1
    }
    return faults
  })

const LINE_FEED = 10

const explain = (faults: ReadonlyArray<RuleImport.RuleImportFault>): string =>
  [
    "Nothing was imported:",
    ...faults.map(({ field, line, message }) => `  line ${line}: ${field === null ? message : `${field} ${message}`}`)
  ].join("\n")
