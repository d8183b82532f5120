import { Effect, Layer } from "effect"
import type { Lease, LeaseKind } from "../../../src/leases/Lease.js"
import { LeaseStore } from "../../../src/leases/LeaseStore.js"
import { MemoryDatabase } from "../MemoryDatabase.js"

export const layer: Layer.Layer<LeaseStore, never, MemoryDatabase> = Layer.effect(
  LeaseStore,
  Effect.map(MemoryDatabase, ({ leases, workers }) => {
    const keyOf = ({ home, kind }: LeaseKind, name: string): string => `${home} ${kind} ${name}`
    const hasToken = (kind: LeaseKind, { name, token }: Lease): boolean =>
      (leases.get(keyOf(kind, name))?.lease.token ?? 0) === token
    return LeaseStore.of({
      beat: ({ aliveUntil, worker }) => Effect.sync(() => void workers.set(worker, aliveUntil)),
      survey: ({ home, kind }) =>
        Effect.sync(() => ({
          beats: [...workers].map(([worker, aliveUntil]) => ({ worker, aliveUntil })),
          leases: [...leases.values()]
            .filter((one) => one.kind.kind === kind && one.kind.home === home)
            .map(({ lease }) => lease)
        })),
      take: (kind, worker, asked) =>
        Effect.sync(() => {
          const taken = asked
            .filter((lease) => hasToken(kind, lease))
            .map(({ name, token }) => ({ name, owner: worker, token: token + 1 }))
          for (const lease of taken) leases.set(keyOf(kind, lease.name), { kind, lease })
          return taken
        }),
      giveUp: (kind, given) =>
        Effect.sync(() => {
          for (const lease of given) {
            if (!leases.has(keyOf(kind, lease.name)) || !hasToken(kind, lease)) continue
            leases.set(keyOf(kind, lease.name), { kind, lease: { ...lease, owner: null } })
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
