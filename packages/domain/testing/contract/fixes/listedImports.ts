import { Effect, Option } from "effect"
import * as CsvColumns from "../../../src/imports/CsvColumns.js"
import { ImportStore } from "../../../src/imports/ImportStore.js"
import type * as Page from "../../../src/shared/Page.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { begin, claimed, forget, type ImportSamplePorts } from "./importSamples.js"

/**
 * What `ImportStore.list` must guarantee: it returns a user's imports in pages, and the columns of a table as they were
 * stored.
 */
export const listedImports: Contract<ImportSamplePorts> = [
  {
    name: "list: the newest first, no more than asked for",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const user = yield* Fixtures.user
      const now = yield* Timestamp.now
      const begun = yield* Effect.forEach([0, 1, 1], (ms) =>
        Effect.map(begin(user.id), (one) => ({ ...one, completedAt: Timestamp.plus(now, ms) }))
      )
      for (const one of begun) yield* store.complete(one, 0, one.completedAt)
      const newest = begun
        .toSorted((a, b) => b.completedAt - a.completedAt || (a.id < b.id ? 1 : -1))
        .map(({ id }) => id)
      const pageOf = (limit: number, after?: Page.PagePosition) =>
        Effect.map(store.list(user.id, limit, after), ({ items, next }) => ({ ids: items.map(({ id }) => id), next }))
      Check.equal(yield* pageOf(3), { ids: newest, next: undefined }, "all")
      Check.equal((yield* pageOf(2)).ids, newest.slice(0, 2), "two")
      const first = yield* pageOf(1)
      Check.equal(first.ids, newest.slice(0, 1), "the first page ends between imports of one moment")
      const second = yield* pageOf(1, first.next)
      Check.equal(second.ids, newest.slice(1, 2), "the second page")
      Check.equal(yield* pageOf(1, second.next), { ids: newest.slice(2), next: undefined }, "the last page")
      yield* forget(...begun)
    })
  },
  {
    name: "the columns of a table are read back, as they are guessed, and with a name that is too long to be guessed [imports-10]",
    run: Effect.gen(function* () {
      const store = yield* ImportStore
      const at = yield* Timestamp.now
      const long = `lat${"_".repeat(CsvColumns.MAX_LINE - 100)}`
      const guessed = CsvColumns.guess(CsvColumns.headerOf(`time,${long},lat,lon`) ?? Check.fail("it is a table"))
      for (const columns of [guessed, { time: "time", lat: long, lon: "lon" }]) {
        const begun = yield* begin((yield* Fixtures.user).id)
        const made = yield* store.complete(begun, 0, at, { columns, isAsking: false })
        Check.equal(Option.getOrNull(made)?.columns, columns, "completed")
        const { items } = yield* store.list(begun.userId, 10)
        Check.equal(
          items.map((one) => one.columns),
          [columns],
          "listed"
        )
        const { lease } = yield* claimed(begun, "columns", at)
        Check.isTrue(yield* store.finish({ ...begun, lease }, null, at), "read to its end")
      }
    })
  }
]
