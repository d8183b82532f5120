import { SqlClient } from "@effect/sql/SqlClient"
import { Duration, Effect, Runtime } from "effect"
import { expect, it } from "vitest"
import { migratedEmbedded } from "../../../../packages/adapters-pg/test/support/embedded.js"
import type { Happening } from "../../src/virtual/Happening.js"
import * as News from "../../src/virtual/news.js"
import { World } from "../../src/virtual/World.js"

const START = Date.UTC(2026, 0, 5, 9)
const MINUTE = 60_000

it("what happens while the caller of `atInstant` works still counts at its instant", async () => {
  const world = new World(START)
  const news: Array<Happening> = []
  world.readNews = (at) => Promise.resolve(news.filter((one) => one.at === at))
  world.atInstant = () => {
    news.push({ at: world.now, what: "event", row: "evt_1", details: {} })
    return Promise.resolve()
  }
  await Effect.runPromise(
    Effect.gen(function* () {
      yield* Effect.fork(world.clock.sleep(Duration.minutes(1)))
      yield* Effect.yieldNow()
      const moved = yield* Effect.promise(() => world.moveTo(START + MINUTE))
      expect(moved.map(({ at }) => at)).toEqual([START])
    })
  )
})

it("mails of one instant and one subject to several people all happened", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const runtime = yield* Effect.runtime<SqlClient>()
    const world = new World(START)
    world.readNews = (at) => Runtime.runPromise(runtime)(News.read(at))
    const at = new Date(START + MINUTE)
    const mail = (user: string, key: string) => ({ user_id: user, dedupe_key: key, created_at: at, due_at: at })
    const mails = [mail("usr_1", "a"), mail("usr_2", "a"), mail("usr_2", "b")]
    yield* sql`INSERT INTO mail_outbox ${sql.insert(mails.map((one) => ({ ...one, subject: "It ends", body: "" })))}`
    // A fiber that sleeps until the mails are due, in place of the worker's loop that would wake up then.
    yield* Effect.fork(world.clock.sleep(Duration.minutes(1)))
    yield* Effect.yieldNow()
    const moved = yield* Effect.promise(() => world.moveTo(START + MINUTE))
    const subjects = moved.map(({ details, what }) => [what, details])
    expect(subjects).toEqual(Array.from({ length: 3 }, () => ["mail", { subject: "It ends" }]))
    const again = yield* Effect.promise(() => world.moveTo(START + MINUTE))
    expect(again).toEqual([])
  }).pipe(Effect.provide(migratedEmbedded), Effect.runPromise))
