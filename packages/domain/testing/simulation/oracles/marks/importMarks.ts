import type { ImportRow } from "../../Operations.js"
import type { Run } from "../../Oracle.js"
import { happened, isDone } from "../support/trace/Happened.js"

/**
 * Marks about imported files. A mark is a rare situation that some run must reach. These marks follow from the trace
 * alone.
 */

interface Mark {
  readonly name: string
  readonly isReached: (run: Run) => boolean
}

const rows = (run: Run): ReadonlyArray<ImportRow> =>
  happened(run)
    .of("readImports")
    .flatMap(({ outcome }) => (outcome?._tag === "ok" ? outcome.value.imports : []))
const read = (name: string, is: (row: ImportRow) => boolean): Mark => ({
  name,
  isReached: (run) => rows(run).some(is)
})

/** The number of times that workers claimed an import in this run, either to read the import or to undo it. */
const claims = (run: Run): number =>
  happened(run).calls.filter(
    ({ method, outcome, port }) => port === "ImportStore" && method === "claim" && outcome !== "failed"
  ).length

const MARKS: ReadonlyArray<Mark> = [
  read("import read", ({ counts, state }) => state === "done" && counts.stored > 0),
  read("reading that another file had brought", ({ counts, state }) => state === "done" && counts.duplicates > 0),
  read("reading of the last day left out", ({ counts }) => counts.tooRecent > 0),
  read("line that cannot be used", ({ counts }) => counts.quarantined > 0),
  read("import looked at while it was read", ({ state }) => state === "running"),
  {
    name: "import taken up again",
    isReached: (run) => {
      const { of } = happened(run)
      const begun = of("importFile").length + of("undoImport").length
      return claims(run) > begun && rows(run).some(({ state }) => state === "done")
    }
  },
  {
    name: "import undone",
    isReached: (run) =>
      happened(run)
        .of("undoImport")
        .some(
          (operation) =>
            isDone(operation) &&
            happened(run)
              .of("readImports")
              .some(
                ({ args, begin, outcome }) =>
                  begin > operation.end &&
                  args.userId === operation.args.userId &&
                  outcome?._tag === "ok" &&
                  !outcome.value.imports.some(({ importId }) => importId === operation.args.importId)
              )
        )
  }
]

export const names: ReadonlyArray<string> = MARKS.map(({ name }) => name)

export const reached = (run: Run): ReadonlySet<string> =>
  new Set(MARKS.filter(({ isReached }) => isReached(run)).map(({ name }) => name))
