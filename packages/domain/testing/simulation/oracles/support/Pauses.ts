import type { CompletedCall } from "./trace/Happened.js"
import { isDone } from "./trace/Happened.js"
import { type Between, clockOf, type Moment } from "./trace/Moment.js"
import { into } from "./trace/into.js"
import * as Register from "./trace/Register.js"
import { DAY, HOUR } from "../../Specification.js"

/**
 * The pauses of connections (decision connection-4). For each connection, this file computes the earliest and the
 * latest time at which the connection's last pause may have ended.
 */

/** Stands for "no pause": a pause that ended before all other times. */
const NEVER: Between = { earliest: -Infinity, latest: -Infinity }
const UNTIL_RESUMED: Between = { earliest: Infinity, latest: Infinity }
const MILLIS = { hour: HOUR, day: DAY } as const

type Ends = Register.Register<Between>
type Length = keyof typeof MILLIS | "until_resumed"
type ForAll = CompletedCall<"pauseAll" | "resumeAll">

/** A connection, and the consent by which the trace first shows it. */
interface Paused {
  readonly userId: string
  readonly shownBy: { readonly end: number }
  readonly ends: Ends
}

export class Pauses {
  private readonly connections = new Map<string, Paused>()
  private readonly forAll = new Map<string, Array<ForAll>>()

  /**
   * Begins to follow the pauses of a connection, which the consent `by` shows. `isNew` is false when an earlier
   * consent, which got no answer, may have made the connection.
   */
  shown(connectionId: string, by: CompletedCall<"consent">, isNew: boolean): void {
    if (this.connections.has(connectionId)) return
    const { userId } = by.args
    const ends = Register.make(NEVER)
    this.connections.set(connectionId, { userId, shownBy: by, ends })
    for (const operation of this.forAll.get(userId) ?? [])
      if (!isNew || operation.end > by.begin) take(ends, unsure(operation))
  }

  ofOne(operation: CompletedCall<"pauseConnection" | "resumeConnection">): void {
    const paused = this.connections.get(operation.args.connectionId)
    if (paused?.userId === operation.args.userId) take(paused.ends, operation)
  }

  ofAll(operation: ForAll): void {
    into(this.forAll, operation.args.userId, operation)
    for (const { ends, shownBy, userId } of this.connections.values())
      if (userId === operation.args.userId) take(ends, shownBy.end < operation.begin ? operation : unsure(operation))
  }

  /**
   * Whether the connection was paused during `moment`: certainly all the time (`yes`), certainly never (`no`), or
   * neither is certain (`maybe`).
   */
  during(connectionId: string, moment: Moment): "yes" | "maybe" | "no" {
    const ends = this.connections.get(connectionId)?.ends
    if (ends === undefined) return "no"
    const answers = ends.possible(moment.begin, moment.end).map((end) => isOn(end, moment))
    const [first = "no"] = answers
    return answers.every((answer) => answer === first) ? first : "maybe"
  }

  /**
   * When the connection's last pause before `moment` ended. A pause that was certainly in force at `moment` does not
   * count.
   */
  lastEnd(connectionId: string, moment: Moment): Between {
    const ends = this.connections.get(connectionId)?.ends.possible(moment.begin, moment.end) ?? []
    const over = ends.filter((end) => isOn(end, moment) !== "yes")
    return over.length === 0
      ? NEVER
      : {
          earliest: Math.min(...over.map(({ earliest }) => earliest)),
          latest: Math.max(...over.map(({ latest }) => latest))
        }
  }

  /**
   * The operations after which the rules of the connection forget their states: each operation that began a pause, or
   * may have begun a pause. A resume during which virtual time passed is included, because the pause may have lasted
   * until the end of the resume.
   */
  beginnings(connectionId: string): ReadonlyArray<Register.Write<Between>> {
    const writes = this.connections.get(connectionId)?.ends.writes ?? []
    return writes.filter(({ beganAt, value }) => value.latest > beganAt)
  }
}

const unsure = <N extends ForAll["name"]>(operation: CompletedCall<N>): CompletedCall<N> => ({
  ...operation,
  outcome: null
})

/** Whether a pause with this end was in force at the moment. The clock may have been set back during the moment. */
const isOn = ({ earliest, latest }: Between, moment: Moment): "yes" | "maybe" | "no" => {
  const span = clockOf(moment)
  return span.latest < earliest ? "yes" : span.earliest >= latest ? "no" : "maybe"
}

const take = (
  ends: Ends,
  operation: CompletedCall<"pauseConnection" | "resumeConnection" | "pauseAll" | "resumeAll">
): void => {
  const after = ends.possible(operation.begin, operation.end).flatMap((before) => afterwards(before, operation))
  const values = new Map(after.map((end) => [`${end.earliest} ${end.latest}`, end]))
  const isSure = values.size === 1 && isDone(operation)
  for (const value of values.values()) ends.write(isSure ? operation : { ...operation, outcome: null }, value)
}

const afterwards = (
  before: Between,
  operation: CompletedCall<"pauseConnection" | "resumeConnection" | "pauseAll" | "resumeAll">
): ReadonlyArray<Between> => {
  const span = clockOf(operation)
  const was = isOn(before, operation)
  if (!("length" in operation.args)) return was === "no" ? [before] : was === "yes" ? [span] : [before, span]
  const wanted = endOf(operation.args.length, span)
  // "Pause all" does not shorten a pause that ends later than the new pause would end.
  if (operation.name === "pauseConnection" || was === "no") return [wanted]
  const longer =
    wanted.earliest > before.latest ? [wanted] : before.earliest >= wanted.latest ? [before] : [before, wanted]
  return was === "yes" ? longer : [...longer, wanted]
}

const endOf = (length: Length, { earliest, latest }: Between): Between =>
  length === "until_resumed" ? UNTIL_RESUMED : { earliest: earliest + MILLIS[length], latest: latest + MILLIS[length] }
