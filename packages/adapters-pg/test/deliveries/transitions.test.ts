import { mayTake, mayTakeOwn, setting, type StepTag } from "@place-access/adapters-pg/deliveries/transitions"
import { Delivery } from "@place-access/domain/deliveries"
import { Timestamp } from "@place-access/domain/shared"
import { SqlClient } from "@effect/sql/SqlClient"
import { DateTime, Effect, FastCheck as fc, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { START, withStores } from "../support/contracts.js"
import { migratedEmbedded } from "../support/embedded.js"

const STEPS = Object.keys(Delivery.TRANSITIONS) as ReadonlyArray<StepTag>
const states = fc.constantFrom(...Delivery.DeliveryState.literals)
const changes = fc.constantFrom("set" as const, "clear" as const, "keep" as const)

/**
 * Any row of a table of transitions. The test makes random tables of these rows and does not use the service's own
 * table, so a change of the service's table does not change the test.
 */
const transition: fc.Arbitrary<Delivery.DeliveryTransition> = fc.record({
  from: fc.uniqueArray(states, { minLength: 1 }),
  to: states,
  failReason: changes,
  attempt: fc.constantFrom("set" as const, "keep" as const),
  dueAt: changes,
  endedAt: changes,
  isHurried: changes,
  faultsSince: changes,
  lease: changes
})

const tables = fc
  .array(transition, { minLength: STEPS.length, maxLength: STEPS.length })
  .map((own) => Object.fromEntries(STEPS.map((step, at) => [step, own[at]])) as typeof Delivery.TRANSITIONS)

const moments = fc.option(
  fc.integer({ min: 0, max: 1_000_000 }).map((millis) => Timestamp.make(START + millis)),
  { nil: null }
)
const fields = {
  failReason: fc.option(fc.constantFrom(...Delivery.FailReason.literals), { nil: null }),
  attempt: fc.integer({ min: 1, max: 7 }),
  dueAt: moments,
  endedAt: moments,
  faultsSince: moments
}
const cases = fc.record({
  table: fc.oneof(fc.constant(Delivery.TRANSITIONS), tables),
  step: fc.constantFrom(...STEPS),
  before: fc.record({ ...fields, state: states, isHurried: fc.boolean() }),
  values: fc.record(fields)
})

const iso = (at: Timestamp.Timestamp | null) => (at === null ? null : DateTime.formatIso(DateTime.unsafeMake(at)))

/** The columns of `deliveries` that transitions change, except those of the lease. */
const stored = (
  row: Omit<Delivery.StepValues, "attempt"> & Pick<Delivery.Delivery, "attempt" | "isHurried" | "state">
) => ({
  state: row.state,
  fail_reason: row.failReason,
  attempt: row.attempt,
  due_at: iso(row.dueAt),
  ended_at: iso(row.endedAt),
  is_hurried: row.isHurried,
  faults_since: iso(row.faultsSince)
})

describe("the SQL of a step", () => {
  const run = withStores(migratedEmbedded, Layer.empty)

  it("does to a row what `Delivery.move` does by the same table, whatever the table says [§3.5]", () =>
    fc.assert(
      fc.asyncProperty(cases, ({ before, step, table, values }) =>
        run(
          Effect.gen(function* () {
            const sql = yield* SqlClient
            const row = { ...stored(before), lease: "lse_1", leased_until: iso(Timestamp.make(START)) }
            const own = { step, ...stored({ ...values, state: before.state, isHurried: false }) }
            const source = { ...own, lease: "lse_2", leased_until: iso(Timestamp.make(START + 1)) }
            const after = (set: string, condition: string) =>
              Effect.gen(function* () {
                yield* sql`DROP TABLE IF EXISTS moving`
                yield* sql`CREATE TEMPORARY TABLE moving AS
                  SELECT * FROM jsonb_populate_record(NULL::deliveries, ${JSON.stringify(row)}::jsonb)`
                yield* sql`UPDATE moving d SET ${sql.literal(set)}
                  FROM jsonb_to_record(${JSON.stringify(source)}::jsonb) AS s (step text, fail_reason text,
                    attempt integer, due_at timestamptz, ended_at timestamptz, faults_since timestamptz,
                    lease text, leased_until timestamptz)
                  WHERE ${sql.literal(condition)}`
                return yield* sql`SELECT state, fail_reason, attempt, due_at, ended_at, is_hurried, faults_since,
                                                lease, leased_until FROM moving`
              })
            const alone = yield* after(setting([step], "s", table) || "lapses = 0", mayTake(step, "d.state", table))
            const among = yield* after(
              setting(STEPS, "s", table) || "lapses = 0",
              mayTakeOwn(STEPS, "s", "d.state", table)
            )
            const expected = Delivery.moveBy(table[step], before as Delivery.Delivery, values)
            const isTaken = table[step].from.includes(before.state)
            const lease = isTaken ? table[step].lease : "keep"
            const leased = {
              keep: { lease: row.lease, leased_until: row.leased_until },
              set: { lease: source.lease, leased_until: source.leased_until },
              clear: { lease: null, leased_until: null }
            }[lease]
            const wanted = [{ ...stored(expected), ...leased }]
            expect(JSON.parse(JSON.stringify(alone))).toEqual(wanted)
            expect(JSON.parse(JSON.stringify(among))).toEqual(wanted)
          })
        )
      ),
      { numRuns: 60 }
    ))
})
