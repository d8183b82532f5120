import type { Connection } from "@place-access/domain/connection"
import { Effect, FiberRef, GlobalValue } from "effect"

/** The connection that a request acts for, known even when its token is not good any more. */
export type Caller = Connection.Owner

/** What the edge and the handler of one request tell each other. One per request, changed in place. */
export interface Cell {
  /** `X-Request-Id` of the answer; also on every log line of the request. */
  readonly id: string
  /** Content types that the matched route reads. */
  reads: ReadonlySet<string>
  /** What is said of the matched route when it is not to be used any more: headers of the answer, whatever it is. */
  deprecation: Readonly<Record<string, string>> | undefined
  caller: Caller | undefined
  /** Method and route, such as `DELETE /v1/rules/place/{id}`. */
  endpoint: string
  purpose: string | null
  disclosed: string | null
  /** How the caller stands to its limit: headers of the answer, whatever it is. */
  standing: Readonly<Record<string, string>>
}

const NOTHING: ReadonlySet<string> = new Set()

export const make = (id: string): Cell => ({
  id,
  reads: NOTHING,
  deprecation: undefined,
  caller: undefined,
  endpoint: "",
  purpose: null,
  disclosed: null,
  standing: {}
})

/** A FiberRef, not a service: handlers use it without naming it among their requirements. */
export const ref: FiberRef.FiberRef<Cell> = GlobalValue.globalValue(
  "@place-access/adapters-http/edge/CurrentRequest",
  () => FiberRef.unsafeMake<Cell>(make("none"))
)

/** Goes on with what is told of the request that this runs in. */
export const cellWith = <A, E, R>(next: (cell: Cell) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => next(fiber.getFiberRef(ref)))

const change = (f: (cell: Cell) => void): Effect.Effect<void> =>
  cellWith((cell) => {
    f(cell)
    return Effect.void
  })

/** Who is calling: from here on the request gets an entry in the user's access log, whatever its answer. */
export const callerIs = (caller: Caller): Effect.Effect<void> => change((cell) => void (cell.caller = caller))

/** The purpose's key as sent, for the access log; only when it is one of the app's. */
export const purposeIs = (key: string): Effect.Effect<void> => change((cell) => void (cell.purpose = key))

/** What the answer discloses, in words for the user, such as "2 shared places". Never a coordinate. */
export const disclose = (words: string): Effect.Effect<void> => change((cell) => void (cell.disclosed = words))

export const id: Effect.Effect<string> = Effect.map(FiberRef.get(ref), (cell) => cell.id)
