import { Effect, Layer } from "effect"
import { ReviewStore, type WaitingSubmission } from "../../../src/staff/ReviewStore.js"
import * as Page from "../../../src/shared/Page.js"
import { MemoryDatabase } from "../MemoryDatabase.js"

export const layer: Layer.Layer<ReviewStore, never, MemoryDatabase> = Layer.effect(
  ReviewStore,
  Effect.map(MemoryDatabase, ({ accounts, apps, connections, flagged, purposes, reviewDecisions }) =>
    ReviewStore.of({
      queue: (limit, after) =>
        Effect.sync(() => {
          const live = [...apps.values()].map(({ app }) => app).filter((app) => app.revokedAt === null)
          const rows = live
            .flatMap((app): ReadonlyArray<WaitingSubmission> => [
              ...(app.submission === null ? [] : [{ submission: app.submission, app, purpose: null }]),
              ...purposes.flatMap((purpose) =>
                purpose.appId !== app.id || purpose.submission === null
                  ? []
                  : [{ submission: purpose.submission, app, purpose }]
              )
            ])
            .map((waiting) => [waiting, [waiting.submission.at, (waiting.purpose ?? waiting.app).id]] as const)
            .filter(([, position]) => after === undefined || compare(position, after) > 0)
            .sort(([, a], [, b]) => compare(a, b))
          const { items, next } = Page.of(rows, limit, ([, position]) => position)
          return { items: items.map(([waiting]) => waiting), next }
        }),
      decisions: (appId, limit, after) =>
        Effect.sync(() => {
          const rows = reviewDecisions
            .filter((decision) => decision.appId === appId)
            .filter(({ at, id }) => after === undefined || compare([at, id], after) < 0)
            .sort((a, b) => compare([b.at, b.id], [a.at, a.id]))
          return Page.of(rows, limit, ({ at, id }) => [at, id])
        }),
      leaks: (limit, after) =>
        Effect.sync(() => {
          const rows = [...connections.values()]
            // The list leaves out leaks of test persons: a developer who uses a test person's token twice is only
            // testing (decision test-people-3).
            .filter(({ userId }) => (accounts.get(userId)?.account.testOf ?? null) === null)
            .flatMap(({ appId, endReason, id }) => {
              const flaggedAt = flagged.get(id)
              return flaggedAt === undefined ? [] : [{ connectionId: id, appId, flaggedAt, endReason }]
            })
            .filter((one) => after === undefined || compare([one.flaggedAt, one.connectionId], after) < 0)
            .sort((a, b) => compare([b.flaggedAt, b.connectionId], [a.flaggedAt, a.connectionId]))
          return Page.of(rows, limit, (last) => [last.flaggedAt, last.connectionId])
        })
    })
  )
)

/** Compares positions by time, then by id. */
const compare = (a: ReadonlyArray<string | number>, b: ReadonlyArray<string | number>): number =>
  Number(a[0]) - Number(b[0]) || (String(a[1]) < String(b[1]) ? -1 : a[1] === b[1] ? 0 : 1)
