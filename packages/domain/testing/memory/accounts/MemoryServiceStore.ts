import { Effect, Layer } from "effect"
import { isPerson } from "../../../src/accounts/Account.js"
import { QUEUES, type QueueName, ServiceStore } from "../../../src/staff/ServiceStore.js"
import { make, type Timestamp } from "../../../src/shared/Timestamp.js"
import { MemoryDatabase, type Tables } from "../MemoryDatabase.js"

export const layer: Layer.Layer<ServiceStore, never, MemoryDatabase> = Layer.effect(
  ServiceStore,
  Effect.map(MemoryDatabase, (tables) =>
    ServiceStore.of({
      counts: (now, since) =>
        Effect.sync(() => {
          const accounts = [...tables.accounts.values()].map(({ account }) => account).filter(isPerson)
          const apps = [...tables.apps.values()].map(({ app }) => app).filter(({ revokedAt }) => revokedAt === null)
          const count = (status: string) => apps.filter((app) => app.status === status).length
          return {
            accounts: accounts.length,
            newAccounts: accounts.filter(({ createdAt }) => createdAt >= since).length,
            suspendedAccounts: accounts.filter(({ suspendedAt }) => suspendedAt !== null).length,
            apps: { sandbox: count("sandbox"), in_review: count("in_review"), production: count("production") },
            backlog: QUEUES.map((queue) => {
              const due = dueIn(tables, queue, now)
              return { queue, rows: due.length, oldestDueAt: due.length === 0 ? null : make(Math.min(...due)) }
            }),
            workers: [...tables.workers.values()].filter((aliveUntil) => aliveUntil > now).length
          }
        })
    })
  )
)

/**
 * For each waiting row of the queue, the time since which the row waits. Depending on the queue, this is the time at
 * which the row became due, the message was written or the import was uploaded.
 */
const dueIn = (tables: Tables, queue: QueueName, now: Timestamp): ReadonlyArray<Timestamp> => {
  const isDue = (at: Timestamp | null): at is Timestamp => at !== null && at <= now
  switch (queue) {
    case "outbox":
      return [...tables.events.values()]
        .filter(({ fannedOutAt }) => fannedOutAt === null)
        .map(({ fanOutDueAt }) => fanOutDueAt)
        .filter(isDue)
    case "deliveries":
      return [...tables.deliveries.values()]
        .filter(({ leasedUntil }) => leasedUntil === null || leasedUntil <= now)
        .map(({ delivery }) => delivery.dueAt)
        .filter(isDue)
    case "mail":
      return [...tables.mailStates.values()]
        .filter(({ givenUpAt, sentAt }) => sentAt === null && givenUpAt === null)
        .filter(({ attempts, dueAt }) => attempts > 0 || isDue(dueAt))
        .map(({ createdAt }) => createdAt)
    case "imports": {
      const imports = [...tables.imports.values()]
      const busy = new Set(
        imports.filter(({ dueAt }) => dueAt !== null && dueAt > now).map((kept) => kept.import.userId)
      )
      return imports
        .filter((kept) => !kept.uploading && kept.import.state === "waiting" && !busy.has(kept.import.userId))
        .map((kept) => kept.import.uploadedAt)
    }
  }
}
