import type { Run } from "../../Oracle.js"
import type { Entry, Fault } from "../../Trace.js"
import { LEASE } from "../../Specification.js"

/**
 * Marks about faults that last, receivers that answer late, and mail that the mail server did not accept. A mark is a
 * rare situation that some run must reach. These marks follow from the trace alone.
 */

interface Mark {
  readonly name: string
  readonly isReached: (run: Run) => boolean
}

type Struck = Entry & Fault

const strikes = ({ entries }: Run, fault: Fault["fault"]): ReadonlyArray<Struck> =>
  entries.filter((entry): entry is Struck => entry.kind === "fault" && entry.fault === fault)

/**
 * The entries of the trace that were written while the fault lasted. The fault's `detail` has the name of a program, or
 * `world`, and the length in milliseconds, such as `worker 20000`.
 */
const during = ({ entries }: Run, { detail, i, passed }: Struck): ReadonlyArray<Entry> => {
  const until = passed + Number(detail.split(" ")[1])
  return entries.slice(i + 1).filter((entry) => entry.passed < until)
}

/**
 * A mark for a fault that lasts. A run reaches the mark when, during one fault of this kind, at least one call ended in
 * each of the given `ways`.
 */
const bothDuring = (
  name: string,
  fault: Fault["fault"],
  ...ways: ReadonlyArray<(entry: Entry, struck: Struck) => boolean>
): Mark => ({
  name,
  isReached: (run) =>
    strikes(run, fault).some((struck) => {
      const meanwhile = during(run, struck)
      return ways.every((is) => meanwhile.some((entry) => is(entry, struck)))
    })
})

const ended = (outcome: "ok" | "failed" | "unknown") => (entry: Entry, struck: Struck) =>
  entry.kind === "port" && entry.outcome === outcome && (struck.fault === "disk.full" || entry.proc === struck.proc)

const bounced = (run: Run, how: "Refused" | "NotSent", isRepeated: boolean): boolean =>
  run.entries.some(
    (entry) =>
      entry.kind === "mailed" &&
      entry.bounced === how &&
      run.entries.slice(entry.i + 1).some((other) => other.kind === "mailed" && other.id === entry.id) === isRepeated
  )

const MARKS: ReadonlyArray<Mark> = [
  bothDuring("cut off: one call was done, another was not", "port.cut", ended("unknown"), ended("failed")),
  bothDuring("disk full: one call was answered, another was not", "disk.full", ended("ok"), ended("failed")),
  {
    name: "worker paused for longer than its lease",
    isReached: (run) =>
      strikes(run, "process.pause").some(
        ({ detail }) => detail.startsWith("worker") && Number(detail.split(" ")[1]) > LEASE
      )
  },
  {
    name: "server paused",
    isReached: (run) => strikes(run, "process.pause").some(({ detail }) => detail.startsWith("server "))
  },
  {
    name: "two clocks that differ",
    isReached: (run) => new Set(strikes(run, "clock.skew").map(({ detail }) => detail)).size > 1
  },
  {
    name: "sent again after an answer that came late",
    isReached: (run) =>
      strikes(run, "receiver.late").some(({ i }) => {
        // When a POST arrives, the simulated receiver decides whether to answer late. So the entry of the POST directly
        // follows the entry of the fault.
        const late = run.entries[i + 1]
        if (late?.kind !== "posted") return false
        const isSame = (entry: Entry) =>
          entry.kind === "posted" &&
          entry.reply === 200 &&
          ["event_id", "endpoint_id"].every((key) => entry.body[key] === late.body[key])
        return run.entries.slice(i + 2).some(isSame)
      })
  },
  {
    name: "signed by a secret that an older key sealed",
    isReached: (run) =>
      strikes(run, "keys.rotate").some(({ i }) => {
        const signers = (entries: ReadonlyArray<Entry>) =>
          entries.flatMap((entry) => (entry.kind === "posted" ? entry.verifiedBy : []))
        const before = new Set(signers(run.entries.slice(0, i)))
        return signers(run.entries.slice(i)).some((secret) => before.has(secret))
      })
  },
  { name: "mail refused for good", isReached: (run) => bounced(run, "Refused", false) },
  { name: "mail not taken, and sent again", isReached: (run) => bounced(run, "NotSent", true) }
]

export const names: ReadonlyArray<string> = MARKS.map(({ name }) => name)

export const reached = (run: Run): ReadonlySet<string> =>
  new Set(MARKS.filter(({ isReached }) => isReached(run)).map(({ name }) => name))
