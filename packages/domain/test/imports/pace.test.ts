import { ImportReader, ImportStore, Pace } from "@place-access/domain/imports"
import { importNext } from "@place-access/domain/testing"
import { everything } from "@place-access/domain/leases"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { file, found, points, run, upload } from "../support/imports.js"

describe("an import", () => {
  /** A store whose steps take 90 ms, and a function that says whether a step is being stored. */
  const slowStore = Effect.map(ImportStore, (store) => {
    let isStoring = false
    const slow: typeof ImportStore.Service = {
      ...store,
      advance: (step) => {
        isStoring = true
        return Effect.zipRight(
          Effect.sleep(90),
          Effect.suspend(() => {
            isStoring = false
            return store.advance(step)
          })
        )
      }
    }
    return { slow, isStoring: () => isStoring }
  })

  it.each([
    // Each step takes 90 ms, and a pause of a third of this time follows. Before the first step there is a pause of 1
    // ms.
    ["a worker on PostgreSQL", Pace.FAIR, 3 * (90 + 30) + 1],
    ["a process without other work", Pace.QUICK, 3 * 90]
  ] as const)("at the pace of %s: pauses in proportion to the time that a step took [imports-8]", (_, pace, tookMs) => {
    run(
      Effect.gen(function* () {
        const made = yield* upload(file(...points(3_000)))
        const { slow } = yield* slowStore
        const begunAt = yield* Timestamp.now
        yield* Effect.provideService(importNext(everything.people, pace), ImportStore, slow)
        expect((yield* Timestamp.now) - begunAt).toBe(tookMs)
        expect(yield* found(made)).toMatchObject({ state: "done", counts: { read: 3_000, stored: 3_000 } })
      })
    )
  })

  it("reads nothing while a step is stored [imports-8]", () => {
    run(
      Effect.gen(function* () {
        yield* upload(file(...points(3_000)))
        const { isStoring, slow } = yield* slowStore
        const reader = yield* ImportReader
        const readWhileStoring: Array<boolean> = []
        const watched: typeof ImportReader.Service = {
          open: (columns) => {
            const opened = reader.open(columns)
            return {
              ...opened,
              push: (slice) => {
                readWhileStoring.push(isStoring())
                return opened.push(slice)
              }
            }
          }
        }
        yield* importNext(everything.people, { ...Pace.QUICK, sliceBytes: 4_096 }).pipe(
          Effect.provideService(ImportStore, slow),
          Effect.provideService(ImportReader, watched)
        )
        expect(readWhileStoring.length).toBeGreaterThan(10)
        expect(readWhileStoring).not.toContain(true)
      })
    )
  })
})
