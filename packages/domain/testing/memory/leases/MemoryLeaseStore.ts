import { Effect, Layer } from "effect"
import type { Lease } from "../../../src/leases/Lease.js"
import { LeaseStore } from "../../../src/leases/LeaseStore.js"
import { MemoryDatabase } from "../MemoryDatabase.js"

export const layer: Layer.Layer<LeaseStore, never, MemoryDatabase> = Layer.effect(
  LeaseStore,
  Effect.map(MemoryDatabase, ({ leases, workers }) => {
    const keyOf = (home: string, { kind, name }: Lease): string => `${home} ${kind} ${name}`
    const hasToken = (home: string, lease: Lease): boolean =>
      (leases.get(keyOf(home, lease))?.lease.token ?? 0) === lease.token
    return LeaseStore.of({
      beat: ({ aliveUntil, worker }) => Effect.sync(() => void workers.set(worker, aliveUntil)),
      survey: (home) =>
        Effect.sync(() => ({
          beats: [...workers].map(([worker, aliveUntil]) => ({ worker, aliveUntil })),
          leases: [...leases.values()].filter((one) => one.home === home).map(({ lease }) => lease)
        })),
      take: (home, worker, wanted) =>
        Effect.sync(() => {
          const taken = wanted
            .filter((lease) => hasToken(home, lease))
            .map((lease) => ({ ...lease, owner: worker, token: lease.token + 1 }))
          for (const lease of taken) leases.set(keyOf(home, lease), { home, lease })
          return taken
        }),
      giveUp: (home, given) =>
        Effect.sync(() => {
          for (const lease of given) {
            if (!leases.has(keyOf(home, lease)) || !hasToken(home, lease)) continue
            leases.set(keyOf(home, lease), { home, lease: { ...lease, owner: null } })
          }
        }),
      leave: (worker) => Effect.sync(() => void workers.delete(worker)),
      forgetDead: (before) =>
        Effect.sync(() => {
          for (const [worker, aliveUntil] of workers) if (aliveUntil < before) workers.delete(worker)
        })
    })
  })
)
