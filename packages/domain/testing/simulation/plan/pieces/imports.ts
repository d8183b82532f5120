import { FastCheck } from "effect"
import { one } from "../deeds.js"
import { MINUTE, SECOND } from "../edges.js"
import type { PlanStep } from "../Plan.js"
import { about, maybe, person, rule, connection, story, wait, walk } from "./story.js"

const { constant, integer, oneof } = FastCheck

const importFile = (person: number, over: Partial<Extract<PlanStep, { readonly do: "import" }>> = {}): PlanStep => ({
  do: "import",
  person,
  from: 0,
  entries: 12,
  recent: 0,
  wrong: 0,
  ...over
})

/**
 * A person imports several files while a phone sends readings. The files may have the same readings, readings of the
 * last 24 hours, and lines that the service cannot read.
 */
export const imported = about(
  {
    connection,
    person,
    from: one([0, 6, 12, 20]),
    entries: integer({ min: 0, max: 20 }),
    recent: one([0, 3]),
    wrong: one([0, 0, 2])
  },
  ({ connection, entries, from, person, recent, wrong }) =>
    story(
      rule(connection),
      importFile(person, { recent, wrong }),
      maybe(walk(person, "in")),
      importFile(person, { from, entries, recent }),
      wait([0, SECOND, 6 * SECOND, MINUTE]),
      { do: "read imports", person },
      maybe(importFile(person, { from, entries })),
      wait([MINUTE, 5 * MINUTE]),
      { do: "read imports", person },
      walk(person, "in")
    )
)

/**
 * A worker dies in the middle of a file, or calls of the worker fail. Another attempt must read the rest of the file.
 */
export const importsTakenUp = about(
  { person, p: one([0.05, 0.2]), fault: one(["crash", "port.unknown", "port.fail"]) },
  ({ fault, p, person }) =>
    story(
      importFile(person, { entries: 20, wrong: 1 }),
      { do: "fault", fault, p, times: 3 },
      wait([SECOND, 6 * SECOND, MINUTE]),
      maybe({ do: "crash", program: "worker", downMs: SECOND }),
      importFile(person, { from: 10, entries: 20 }),
      wait([MINUTE, 2 * MINUTE, 5 * MINUTE]),
      { do: "calm" },
      wait([5 * MINUTE]),
      { do: "read imports", person }
    )
)

/**
 * A person undoes an import. The service deletes the readings of the file, except readings that another imported file
 * also contains.
 */
export const importsUndone = about(
  { person, from: one([0, 6, 12]), back: one([0, 1]), again: one([0, 1]) },
  ({ again, back, from, person }) =>
    story(
      importFile(person),
      wait([0, 6 * SECOND, MINUTE]),
      importFile(person, { from }),
      wait([0, 6 * SECOND, MINUTE]),
      { do: "undo import", person, back },
      oneof(constant([]), story({ do: "crash", program: "worker", downMs: 0 })),
      wait([0, SECOND, MINUTE]),
      { do: "read imports", person },
      maybe({ do: "undo import", person, back: again }),
      maybe(importFile(person)),
      wait([MINUTE, 5 * MINUTE]),
      { do: "read imports", person }
    )
)
