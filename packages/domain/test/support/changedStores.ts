import { DeliveryStore, EventStore } from "@place-access/domain/deliveries"
import { Effect } from "effect"

type Deliveries = typeof DeliveryStore.Service
type Events = typeof EventStore.Service

/** Runs `program` with replacements for some methods of the stores. */
export const over =
  ({
    deliveries,
    events
  }: {
    deliveries?: (all: Deliveries) => Partial<Deliveries>
    events?: (all: Events) => Partial<Events>
  }) =>
  <A, E, R>(program: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const [store, outbox] = [yield* DeliveryStore, yield* EventStore]
      return yield* program.pipe(
        Effect.provideService(DeliveryStore, { ...store, ...deliveries?.(store) }),
        Effect.provideService(EventStore, { ...outbox, ...events?.(outbox) })
      )
    })

/**
 * An outbox that, like the outbox on a cluster, reads nothing ahead: the worker reads the authorisation separately
 * before the first attempt of each delivery.
 */
export const readingNothingAhead = over({
  events: (store) => ({
    pending: (...args) => Effect.map(store.pending(...args), (found) => ({ ...found, ahead: new Map() }))
  })
})

/** Counts how many delivery rows were stored before their first attempt, and how many after it. */
export const counted = () => {
  const rows = { waiting: 0, attempted: 0 }
  const counting = over({
    deliveries: (store) => ({
      insert: (all) =>
        Effect.zipRight(
          Effect.sync(() => (rows.waiting += all.length)),
          store.insert(all)
        ),
      insertAttempted: (...args) =>
        Effect.zipRight(
          Effect.sync(() => rows.attempted++),
          store.insertAttempted(...args)
        )
    })
  })
  return { rows, counting }
}
