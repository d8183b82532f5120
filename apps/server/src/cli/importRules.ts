import { importRules as importAll, type RuleImport } from "@place-access/domain/legacy"
import { Words } from "@place-access/domain/shared"
import { CannotStart, Data } from "@place-access/worker"
import { Console, Effect } from "effect"
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
    const text = yield* Effect.tryPromise({
      try: () => readFile(file, "utf8"),
      catch: () => new CannotStart({ message: `The file ${file} cannot be read. Nothing was changed.` })
    })
    const { imported, known } = yield* importAll(text).pipe(
      Effect.catchTags({
        RulesNotImported: ({ faults }) => new CannotStart({ message: explain(faults) }),
        StoreError: () => new CannotStart({ message: "The database could not store the rules. Nothing was changed." })
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

const explain = (faults: ReadonlyArray<RuleImport.RuleImportFault>): string =>
  [
    "Nothing was imported:",
    ...faults.map(({ field, line, message }) => `  line ${line}: ${field === null ? message : `${field} ${message}`}`)
  ].join("\n")
