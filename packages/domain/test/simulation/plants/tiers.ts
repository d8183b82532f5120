import { ConsentStore } from "@place-access/domain/consent"
import { EventId, Scope, Timestamp } from "@place-access/domain/shared"
import { TierStore } from "@place-access/domain/sweeps"
import { Effect } from "effect"
import {
  both,
  connected,
  CURRENT,
  DAY,
  decisions,
  found,
  HOUR,
  LATEST,
  ME,
  MINUTE,
  withConnection
} from "./connected.js"
import { instead, type Plant } from "./plant.js"

const NOBODY_SWEEPS = instead(TierStore, () => ({
  due: () => Effect.succeed([])
}))
const GRACE = 14 * DAY

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "S1",
    what: "nothing checks the end of the standard tier",
    sabotage: both(
      NOBODY_SWEEPS,
      found((one) => withConnection(one, { standardExpiresAt: null })),
      decisions((state) => withConnection(state, { standardExpiresAt: null }))
    ),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world, { standardDays: 1, sensitiveDays: 7 })
        yield* world.advance(DAY)
        yield* connection.refresh
        yield* connection.call(ME)
      })
  },
  {
    oracle: "S2",
    what: "sensitive scopes still work in the grace",
    sabotage: found((one, now) => {
      const { sensitiveExpiresAt: date } = one.connection
      const isLapsed = date !== null && now >= date && now < date + GRACE
      return isLapsed ? withConnection(one, { sensitiveExpiresAt: Timestamp.plus(now, 1) }) : one
    }),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world, { sensitiveDays: 1 })
        yield* world.advance(DAY)
        yield* connection.refresh
        yield* connection.call(LATEST)
      })
  },
  {
    oracle: "S3",
    what: "the grace has no end",
    sabotage: both(
      NOBODY_SWEEPS,
      found((one, now) => {
        const { sensitiveExpiresAt: date } = one.connection
        const isOver = date !== null && now >= date + GRACE
        return isOver ? withConnection(one, { sensitiveExpiresAt: Timestamp.plus(now, -DAY) }) : one
      })
    ),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world, { sensitiveDays: 1 })
        yield* world.advance(15 * DAY)
        yield* connection.refresh
        yield* connection.call(LATEST)
        yield* connection.call(ME)
      })
  },
  {
    oracle: "S4",
    what: "a renewal moves the standard date",
    sabotage: instead(ConsentStore, (store) => ({
      decideRequest: (id, userId, decide) =>
        store.decideRequest(id, userId, (state, now) => {
          const decision = decide(state, now)
          const { approval } = decision
          const isKept = approval !== null && state.existing._tag === "Some"
          const isRenewal = isKept && approval.connection.heldScopes.length === state.existing.value.heldScopes.length
          return isRenewal
            ? { ...decision, approval: withConnection2(approval, Timestamp.plus(now, 40 * DAY)) }
            : decision
        })
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { again, connection } = yield* connected(world)
        yield* connection.call(ME)
        yield* (yield* again()).call(ME)
      })
  },
  {
    oracle: "S5",
    what: "the sweep is an hour late",
    sabotage: instead(TierStore, (store) => ({
      due: (page) => store.due({ ...page, now: Timestamp.plus(page.now, -HOUR) })
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        yield* connected(world, { sensitiveDays: 1 })
        yield* world.advance(DAY + 3 * HOUR)
      })
  },
  {
    oracle: "S6",
    what: "the sweep sends events for the first date of the connection",
    sabotage: instead(TierStore, (store) => {
      const first = new Map<string, Timestamp.Timestamp>()
      return {
        sweep: (due, decide) =>
          store.sweep(due, (state, now) => {
            const { id, sensitiveExpiresAt } = state.connection
            if (sensitiveExpiresAt !== null && !first.has(id)) first.set(id, sensitiveExpiresAt)
            const date = first.get(id)
            if (date === undefined || date === sensitiveExpiresAt) return decide(state, now)
            const from = state.from < date ? state.from : date
            return decide({ ...withConnection(state, { sensitiveExpiresAt: date }), from }, now)
          })
      }
    }),
    scenario: (world) =>
      Effect.gen(function* () {
        const { again } = yield* connected(world, { sensitiveDays: 7 })
        yield* world.advance(DAY)
        yield* again({ sensitiveDays: 30 })
        yield* world.advance(17 * DAY)
      })
  },
  {
    oracle: "S7",
    what: "a grant of seven days gets the warning of 14 days",
    sabotage: instead(TierStore, (store) => ({
      sweep: (due, decide) =>
        store.sweep(due, (state, now) => {
          const decision = decide(state, now)
          const date = state.connection.sensitiveExpiresAt
          const isTold = state.notices.some(({ expiresAt, kind }) => expiresAt === date && kind === "expiring_14")
          const seventh = decision.writes.find(
            (write) =>
              write._tag === "Emit" &&
              write.event.payload.type === "sensitive.expiring" &&
              write.event.payload.daysLeft === 7
          )
          if (seventh?._tag !== "Emit" || isTold || date === null) return decision
          const { payload } = seventh.event
          const event = {
            ...seventh.event,
            id: EventId.make(`${seventh.event.id}b`),
            occurredAt: Timestamp.plus(date, -14 * DAY),
            payload: payload.type === "sensitive.expiring" ? { ...payload, daysLeft: 14 as const } : payload
          }
          return { ...decision, writes: [...decision.writes, { _tag: "Emit", event }] }
        })
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        yield* connected(world, { sensitiveDays: 7 })
        yield* world.advance(20 * MINUTE)
      })
  },
  {
    oracle: "S8",
    what: "the lapse takes the standard scopes along",
    sabotage: found((one, now) => {
      const { heldScopes, sensitiveExpiresAt: date } = one.connection
      const isLapsed = date !== null && now >= date
      return isLapsed ? withConnection(one, { heldScopes: heldScopes.filter(Scope.isSensitive) }) : one
    }),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world, { sensitiveDays: 1 })
        yield* world.advance(DAY)
        yield* connection.refresh
        yield* connection.call(CURRENT)
      })
  }
]

const withConnection2 = <A extends { readonly connection: { readonly standardExpiresAt: Timestamp.Timestamp | null } }>(
  approval: A,
  standardExpiresAt: Timestamp.Timestamp
): A => ({ ...approval, connection: { ...approval.connection, standardExpiresAt } })
