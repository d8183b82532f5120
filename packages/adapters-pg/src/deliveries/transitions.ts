import { Delivery } from "@place-access/domain/deliveries"

/**
 * The parts of SQL that move deliveries, made from the table that `Delivery.move` reads. No other statement names a
 * state as the result of a step, so a changed row of the table changes `move` and every statement together. The partial
 * index `deliveries_waiting` and a constraint name the waiting state too: another waiting state needs a migration.
 */

export type StepTag = Delivery.DeliveryStep["_tag"]

type Change = (row: Delivery.DeliveryTransition, source: string) => string | undefined

const field =
  (column: string, change: (row: Delivery.DeliveryTransition) => Delivery.FieldChange, cleared = "NULL"): Change =>
  (row, source) => {
    switch (change(row)) {
      case "keep":
        return undefined
      case "clear":
        return cleared
      case "set":
        return `${source}.${column}`
    }
  }

/** For each column its new value after a transition; undefined when the column stays. */
const CHANGES: Readonly<Record<string, Change>> = {
  state: ({ from, to }) => (from.every((state) => state === to) ? undefined : literal(to)),
  fail_reason: field("fail_reason", ({ failReason }) => failReason),
  attempt: field("attempt", ({ attempt }) => attempt),
  due_at: field("due_at", ({ dueAt }) => dueAt),
  ended_at: field("ended_at", ({ endedAt }) => endedAt),
  is_hurried: ({ isHurried }) => (isHurried === "keep" ? undefined : String(isHurried === "set")),
  lease: field("lease", ({ lease }) => lease),
  leased_until: field("leased_until", ({ lease }) => lease)
}

/** States and steps are words of ours without quotes. */
const literal = (word: string): string => `'${word}'`

/**
 * The SET list of `UPDATE deliveries d`. The values that a step sets are columns of `source`, named like those of
 * `deliveries`. With several `steps`, `source.step` says which step the row takes.
 */
export const setting = (steps: ReadonlyArray<StepTag>, source: string, table = Delivery.TRANSITIONS): string =>
  Object.entries(CHANGES)
    .flatMap(([column, change]) => {
      const values = steps.map((step) => change(table[step], source))
      const value = values.every((one) => one === values[0]) ? values[0] : byStep(steps, source, values, `d.${column}`)
      return value === undefined ? [] : [`${column} = ${value}`]
    })
    .join(", ")

/** The value of each step; `otherwise` for a step without one. */
const byStep = (
  steps: ReadonlyArray<StepTag>,
  source: string,
  values: ReadonlyArray<string | undefined>,
  otherwise: string
): string => {
  const cases = steps.flatMap((step, at) =>
    values[at] === undefined ? [] : [`WHEN ${literal(step)} THEN ${values[at]}`]
  )
  return `CASE ${source}.step ${cases.join(" ")} ELSE ${otherwise} END`
}

/** Whether a delivery in `state` may take `step`. For a single state this is what the partial index needs. */
export const mayTake = (step: StepTag, state: string, table = Delivery.TRANSITIONS): string => {
  const from = table[step].from.map(literal)
  return from.length === 1 ? `${state} = ${from.join()}` : `${state} IN (${from.join(", ")})`
}

/** `mayTake` for the step in `source.step`. The planner does not look into a CASE and takes no partial index for it. */
export const mayTakeOwn = (
  steps: ReadonlyArray<StepTag>,
  source: string,
  state: string,
  table = Delivery.TRANSITIONS
): string =>
  byStep(
    steps,
    source,
    steps.map((step) => mayTake(step, state, table)),
    "false"
  )

/** Whether a delivery in `state` waits for an attempt. */
export const waits = (state: string): string => mayTake("Claimed", state)

/** `Delivery.byDueTime` for ORDER BY. `deliveries_waiting` has the rows of an endpoint in this order. */
export const byDueTime = (source: string): string => `${source}.due_at, ${source}.delivery_id COLLATE "C"`

/** The state of a new delivery. */
export const FIRST_STATE = literal(Delivery.FIRST_STATE)

/** SQL values of columns: those of `begun` in rows where `isLive` holds, in other rows those after `step`. */
export const begunOr = (
  step: StepTag,
  source: string,
  isLive: string,
  begun: Readonly<Record<string, string>>
): string =>
  Object.entries(begun)
    .map(([column, value]) => {
      const after = CHANGES[column]?.(Delivery.TRANSITIONS[step], source) ?? value
      return `CASE WHEN ${isLive} THEN ${value} ELSE ${after} END`
    })
    .join(", ")
