import { Delivery } from "@place-access/domain/deliveries"

/**
 * Parts of SQL statements that change the state of deliveries. They are made from `Delivery.TRANSITIONS`, the table
 * that `Delivery.move` reads too. No other SQL names a state as the result of a step, so a changed row of the table
 * changes `move` and all statements together. The partial index `deliveries_waiting` and a constraint name the waiting
 * state too: another waiting state needs a migration.
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

/**
 * For each column of `deliveries`, the SQL of its new value after a transition; undefined when the transition does not
 * change the column.
 */
const CHANGES: Readonly<Record<string, Change>> = {
  state: ({ from, to }) => (from.every((state) => state === to) ? undefined : literal(to)),
  fail_reason: field("fail_reason", ({ failReason }) => failReason),
  attempt: field("attempt", ({ attempt }) => attempt),
  due_at: field("due_at", ({ dueAt }) => dueAt),
  ended_at: field("ended_at", ({ endedAt }) => endedAt),
  is_hurried: ({ isHurried }) => (isHurried === "keep" ? undefined : String(isHurried === "set")),
  faults_since: field("faults_since", ({ faultsSince }) => faultsSince),
  lease: field("lease", ({ lease }) => lease),
  leased_until: field("leased_until", ({ lease }) => lease)
}

/** An SQL string. States and steps are constants without quotes, so nothing needs escaping. */
const literal = (word: string): string => `'${word}'`

/**
 * The SET list of `UPDATE deliveries d`. The values that a step sets are columns of `source`, named like the
 * columns of `deliveries`. With several `steps`, `source.step` says which step the row takes.
 */
export const setting = (steps: ReadonlyArray<StepTag>, source: string, table = Delivery.TRANSITIONS): string =>
  Object.entries(CHANGES)
    .flatMap(([column, change]) => {
      const values = steps.map((step) => change(table[step], source))
      const value = values.every((one) => one === values[0]) ? values[0] : byStep(steps, source, values, `d.${column}`)
      return value === undefined ? [] : [`${column} = ${value}`]
    })
    .join(", ")

/** A CASE over `source.step` with the value of each step; `otherwise` for a step without a value. */
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

/**
 * An SQL condition: whether a delivery in `state` may take `step`. For a single state, the condition is `state = '…'`,
 * because PostgreSQL uses the partial index `deliveries_waiting` only for a condition in that form.
 */
export const mayTake = (step: StepTag, state: string, table = Delivery.TRANSITIONS): string => {
  const from = table[step].from.map(literal)
  return from.length === 1 ? `${state} = ${from.join()}` : `${state} IN (${from.join(", ")})`
}

/**
 * An SQL condition: a delivery in `state` may take the step that `source.step` names. The condition is a CASE. The
 * planner does not look into a CASE, so it does not use a partial index for this condition.
 */
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

/** An SQL condition: whether a delivery in `state` waits for an attempt. */
export const waits = (state: string): string => mayTake("Claimed", state)

/**
 * SQL for ORDER BY: the order of `Delivery.byDueTime`, first by due time and then by id. The index `deliveries_waiting`
 * has the rows of an endpoint in this order.
 */
export const byDueTime = (source: string): string => `${source}.due_at, ${source}.delivery_id COLLATE "C"`

/** The state of a new delivery, as an SQL string. */
export const FIRST_STATE = literal(Delivery.FIRST_STATE)

/**
 * A list of SQL values, one for each column of `begun`: the value in `begun` for rows where `isLive` holds, and the
 * value that the column has after `step` for other rows.
 */
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
