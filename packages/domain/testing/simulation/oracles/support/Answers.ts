import type { Endpoint, Request } from "../../Operations.js"
import type { Run } from "../../Oracle.js"
import { ground, type Pair } from "./Ground.js"
import { type CompletedCall, happened } from "./trace/Happened.js"

/** The calls with an answer or a refusal, each with the user, app and connection that its token belongs to. */

export interface AnsweredCall<R extends Request> {
  readonly did: CompletedCall<"call">
  readonly request: R
  readonly pair: Pair
  readonly connectionId: string
  readonly status: number
  readonly error: string | null
  readonly body: Readonly<Record<string, unknown>>
}

const known = new WeakMap<object, ReadonlyArray<AnsweredCall<Request>>>()

export const answered = (run: Run): ReadonlyArray<AnsweredCall<Request>> => {
  const found = known.get(run)
  if (found !== undefined) return found
  const { holderOf } = ground(run)
  const made = happened(run)
    .of("call")
    .flatMap((operation) => {
      const holder = holderOf(operation.args.token)
      if (holder === undefined || operation.outcome?._tag !== "ok") return []
      return [{ did: operation, request: operation.args.request, ...holder, ...operation.outcome.value }]
    })
  known.set(run, made)
  return made
}

/** Whether the answer says that the user has paused the app. Oracle G1 judges whether this is true. */
export const saysPaused = (body: Readonly<Record<string, unknown>>): boolean => body["reason"] === "paused"

/** The answered calls of an endpoint, except answers that say that the app is paused. */
export const answeredTo = <E extends Endpoint>(run: Run, endpoint: E) =>
  answered(run).filter(
    (call): call is AnsweredCall<Extract<Request, { readonly endpoint: E }>> =>
      call.request.endpoint === endpoint && !saysPaused(call.body)
  )

export const recordOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined

export const listOf = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.map(recordOf).filter((one) => one !== undefined) : []
