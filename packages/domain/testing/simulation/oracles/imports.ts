import type { ImportRow, Operation } from "../Operations.js"
import type { Oracle, Run } from "../Oracle.js"
import { RECENT } from "./support/phones/Files.js"
import { type CompletedCall, happened, isDone, isoOf, mayBeDone } from "./support/trace/Happened.js"
import { index } from "./support/trace/Ops.js"

/** Oracles of the history files that people import (decisions imports-1 to imports-3, imports-13). */

type Readings = Operation<"importFile">["args"]["readings"]

interface KnownImport {
  readonly importId: string
  readonly made: CompletedCall<"importFile">
  readonly readings: Readings
  readonly wrong: number
  /** The operations that undid the import, or may have undone it. */
  readonly undoings: ReadonlyArray<CompletedCall<"undoImport">>
}

const cache = new WeakMap<Run, ReadonlyMap<string, KnownImport>>()

const importsOf = (run: Run): ReadonlyMap<string, KnownImport> => {
  const before = cache.get(run)
  if (before !== undefined) return before
  const { of } = happened(run)
  const found = new Map<string, KnownImport>()
  for (const made of of("importFile")) {
    if (made.outcome?._tag !== "ok") continue
    const { importId } = made.outcome.value
    const { readings, wrong } = made.args
    const undoings = of("undoImport").filter(
      (operation) => operation.args.importId === importId && mayBeDone(operation)
    )
    found.set(importId, { importId, made, readings, wrong, undoings })
  }
  cache.set(run, found)
  return found
}

/**
 * The readings of a file: `sure` has the readings that are certainly in the history after the import, and `maybe` has
 * all readings that may be there. An import leaves out the last 24 hours before the end of the file's upload. The trace
 * shows only the earliest and the latest time at which the upload can have ended.
 */
const kept = ({ made, readings }: KnownImport) => ({
  sure: readings.filter(({ capturedAt }) => capturedAt <= made.beganAt - RECENT),
  maybe: readings.filter(({ capturedAt }) => capturedAt <= made.endedAt - RECENT)
})

// ---- the oracle I1

const sumOf = ({ duplicates, overLimit, quarantined, stored, tooOld, tooRecent }: ImportRow["counts"]): number =>
  stored + duplicates + tooRecent + tooOld + overLimit + quarantined

const I1: Oracle = {
  name: "I1",
  rule: "Each entry of a file is counted once, under one name, also when its worker dies (decision imports-3)",
  check: (run) =>
    happened(run)
      .of("readImports")
      .flatMap(({ end, outcome }) => {
        if (outcome?._tag !== "ok") return []
        return outcome.value.imports.flatMap((row) => {
          const file = importsOf(run).get(row.importId)
          const detail = file === undefined ? undefined : miscounted(run, file, row)
          return detail === undefined ? [] : [{ at: end, detail: `${row.importId} (${row.state}): ${detail}` }]
        })
      })
}

const miscounted = (run: Run, file: KnownImport, { counts, state }: ImportRow): string | undefined => {
  const total = file.readings.length + file.wrong
  if (counts.read !== sumOf(counts)) return `${counts.read} were read, and ${sumOf(counts)} counted`
  if (counts.read > total) return `${counts.read} of ${total} entries were read`
  if (state !== "done") return undefined
  if (counts.read !== total) return `it ended after ${counts.read} of ${total} entries`
  // The service uses its clock to decide which entries are recent or from the future. If somebody set the clock, the
  // trace does not show the right counts.
  if (index(run).clockWasSet(0, file.made.end)) return undefined
  const { maybe, sure } = kept(file)
  const known = counts.stored + counts.duplicates
  if (known < sure.length || known > maybe.length) return `${known} are in the history, of ${sure.length}`
  return counts.quarantined === file.wrong ? undefined : `${counts.quarantined} of ${file.wrong} could not be used`
}

// ---- the oracle I2

/**
 * If a read returns this number of readings or more, the history may have further readings that the read left out. A
 * read can return more readings than this number, because it returns all readings with the time of the last one.
 */
const MOST = 500

const I2: Oracle = {
  name: "I2",
  rule: "The owner reads what the files brought, each reading once, and nothing of a file that was undone (decisions imports-1, imports-2, imports-13)",
  check: (run) =>
    happened(run)
      .of("readOwnHistory")
      .flatMap((operation) => {
        if (operation.outcome?._tag !== "ok" || operation.outcome.value.readings.length >= MOST) return []
        return wrongHistory(run, operation, operation.outcome.value.readings).map((detail) => ({
          at: operation.end,
          detail
        }))
      })
}

const wrongHistory = (
  run: Run,
  operation: CompletedCall<"readOwnHistory">,
  readings: ReadonlyArray<number>
): ReadonlyArray<string> => {
  const { of } = happened(run)
  const { userId } = operation.args
  const files = [...importsOf(run).values()].filter(
    ({ made }) => made.args.userId === userId && made.begin < operation.end
  )
  const unanswered = of("importFile").some(({ args, outcome }) => args.userId === userId && outcome?._tag !== "ok")
  if (files.length === 0 || unanswered || index(run).clockWasSet(0, operation.end)) return []
  if (of("eraseHistory").some(({ args, begin }) => args.userId === userId && begin < operation.end)) return []
  const phones = new Set(
    of("upload").flatMap(({ args }) => (args.userId === userId ? args.fixes.map(({ capturedAt }) => capturedAt) : []))
  )
  const counts = new Map<number, number>()
  for (const at of readings) counts.set(at, (counts.get(at) ?? 0) + 1)
  const last = of("readImports").findLast(
    (one) => one.args.userId === userId && isDone(one) && one.end < operation.begin
  )
  const rows = new Map(
    last?.outcome?._tag === "ok" ? last.outcome.value.imports.map(({ importId, state }) => [importId, state]) : []
  )
  /**
   * Whether the readings of the import are certainly in the history: the last list of imports shows the import as done,
   * and no operation can have undone the import.
   */
  const isThere = ({ importId, undoings }: KnownImport) => rows.get(importId) === "done" && undoings.length === 0
  const isGone = ({ importId, undoings }: KnownImport) =>
    last !== undefined && !rows.has(importId) && undoings.some((one) => isDone(one) && one.end < last.begin)
  const must = new Set(files.filter(isThere).flatMap((file) => kept(file).sure.map(({ capturedAt }) => capturedAt)))
  const may = new Set(
    files.filter((file) => !isGone(file)).flatMap((file) => kept(file).maybe.map(({ capturedAt }) => capturedAt))
  )
  const imported = new Set(files.flatMap((file) => file.readings.map(({ capturedAt }) => capturedAt)))
  return [
    ...[...must].filter((at) => !counts.has(at)).map((at) => `the reading of ${isoOf(at)} is missing`),
    ...[...imported].flatMap((at) => {
      const count = phones.has(at) ? 0 : (counts.get(at) ?? 0)
      if (count > 1) return [`the reading of ${isoOf(at)} is there ${count} times`]
      return count === 1 && !may.has(at) ? [`no file that is there brought the reading of ${isoOf(at)}`] : []
    })
  ]
}

// ---- the oracle I3

const I3: Oracle = {
  name: "I3",
  rule: "Each import comes to its end: it is read, or gone with all that it brought (decisions imports-5, imports-13)",
  check: (run) => {
    if (!run.quiesced) return []
    const last = new Map<string, CompletedCall<"readImports">>()
    for (const operation of happened(run).of("readImports")) last.set(operation.args.userId, operation)
    return [...last.values()].flatMap(({ end, outcome }) => {
      if (outcome?._tag !== "ok") return []
      return outcome.value.imports.flatMap(({ importId, state }) => {
        const file = importsOf(run).get(importId)
        if (file === undefined || state === "done") return []
        // An import may fail in two cases: its file has no entry, or the run injected faults during the import. An
        // import fails after five attempts without progress, and a fault can end an attempt.
        const mayFail = file.readings.length + file.wrong === 0 || !index(run).isCalm(file.made.begin, end)
        return state === "failed" && mayFail ? [] : [{ at: end, detail: `${importId} is ${state}` }]
      })
    })
  }
}

export const imports: ReadonlyArray<Oracle> = [I1, I2, I3]
