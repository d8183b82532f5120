import { layerPostgres, SqlLimitStore } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { askZone, type LimitStore, type Rate, Subject, takeCall } from "@place-access/domain/limits"
import { AppId, ConnectionId, Timestamp, UserId } from "@place-access/domain/shared"
import { Context, Deferred, Effect, Either, Fiber, Layer, Redacted, Ref, Schedule } from "effect"
import { expect, it } from "vitest"
import { describeCitus, describeServers, lockWaits, type Server } from "../support/postgres.js"

const pool = (url: string) => layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "test" })

/** One of several servers, with a separate pool and separate batches. */
const server = (url: string) => Layer.build(SqlLimitStore.layer.pipe(Layer.provide(pool(url))))

const withServers = <A>(
  { migratedDatabase }: Server,
  program: (servers: ReadonlyArray<Context.Context<LimitStore>>, sql: SqlClient) => Effect.Effect<A, unknown>
) =>
  Effect.gen(function* () {
    const { url } = yield* Effect.acquireRelease(Effect.promise(migratedDatabase), ({ drop }) => Effect.promise(drop))
    const database = yield* Layer.build(pool(url))
    return yield* program(yield* Effect.all([server(url), server(url)]), Context.get(database, SqlClient))
  }).pipe(Effect.scoped, Effect.runPromise)

/** Makes `calls` calls concurrently, divided evenly over the servers: the first call on the first server, and so on. */
const onAll = <A, E>(
  servers: ReadonlyArray<Context.Context<LimitStore>>,
  calls: number,
  call: (index: number) => Effect.Effect<A, E, LimitStore>
) =>
  Effect.forEach(
    Array.from({ length: calls }, (_, index) => index),
    (index) => Effect.provide(call(index), servers[index % servers.length]!),
    { concurrency: "unbounded" }
  )

const connection = (index: number) => Subject.connection(ConnectionId.make(`con_${index}`))

describeServers("limits, two servers on one database", (on) => {
  it("admit as many calls as the rate has, and not one more or fewer [§7-too-many, limits-6]", () =>
    withServers(on, (servers) =>
      Effect.gen(function* () {
        // The window of this rate limit must not end during the test, because in the next window calls would be
        // admitted again.
        const rate: Rate.Rate = { calls: 100, windowMillis: Timestamp.HOUR }
        const standings = yield* onAll(servers, 400, () => takeCall(connection(0), rate))
        const admitted = standings.filter(({ isAdmitted }) => isAdmitted)
        expect(admitted.map(({ remaining }) => remaining).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 100 }, (_, index) => index)
        )
      })
    ))
})

describeServers("limits, two servers on one database whose windows are locked", (on) => {
  it("never wait for each other in a circle, in whatever order their calls come [limits-6]", () =>
    withServers(on, (servers, sql) =>
      Effect.gen(function* () {
        const rate: Rate.Rate = { calls: 10, windowMillis: Timestamp.HOUR }
        const three = [connection(1), connection(2), connection(3)]
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        yield* Effect.provide(takeCall(connection(2), rate), servers[0]!)
        const holder = yield* sql`UPDATE rate_windows SET used = used`.pipe(
          Effect.zipRight(Deferred.succeed(held, undefined)),
          Effect.zipRight(Deferred.await(release)),
          sql.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(held)
        // A server sends the first call immediately, alone in a statement. The three calls that come meanwhile share
        // the next statement.
        const calls = (index: number, order: ReadonlyArray<Subject.LimitSubject>) =>
          Effect.forEach([connection(100 + index), ...order], (whose) => takeCall(whose, rate), {
            concurrency: "unbounded"
          }).pipe(Effect.provide(servers[index]!))
        const both = yield* Effect.fork(
          Effect.all([calls(0, three), calls(1, three.toReversed())], { concurrency: "unbounded" })
        )
        yield* Effect.repeat(lockWaits(on, sql), { until: (waits) => waits >= 2, schedule: Schedule.spaced(10) })
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        expect((yield* Fiber.join(both)).flat().every(({ isAdmitted }) => isAdmitted)).toBe(true)
      })
    ))

  it("hand out a budget once [M8, limits-8]", () =>
    withServers(on, (servers) =>
      Effect.gen(function* () {
        const spender = { userId: UserId.make("usr_a"), appId: AppId.make("app_a") }
        const circle = { lat: 52.1, lon: 4.9, radiusM: 400 }
        const answers = yield* onAll(servers, 60, () => Effect.either(askZone(spender, circle)))
        expect(answers.filter(Either.isRight).length).toBe(20)
        const refusals = answers.flatMap((answer) => (Either.isLeft(answer) ? [answer.left._tag] : []))
        expect(refusals).toEqual(Array.from({ length: 40 }, () => "BudgetExceeded"))
      })
    ))
})

describeServers("limits, one server whose connections are all in transactions", (on) => {
  it("counts a call of each transaction on the transaction's connection [limits-6]", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.acquireRelease(Effect.promise(on.migratedDatabase), ({ drop }) =>
        Effect.promise(drop)
      )
      const both = yield* Layer.build(SqlLimitStore.layer.pipe(Layer.provideMerge(pool(url))))
      const sql = Context.get(both, SqlClient)
      const rate: Rate.Rate = { calls: 10, windowMillis: Timestamp.HOUR }
      // Every connection of the pool (4) is in a transaction before the first call is counted.
      const [all, begun] = [yield* Deferred.make<void>(), yield* Ref.make(0)]
      const one = (index: number) =>
        sql`SELECT 1`.pipe(
          Effect.zipRight(Ref.updateAndGet(begun, (count) => count + 1)),
          Effect.tap((count) => Effect.when(Deferred.succeed(all, undefined), () => count === 4)),
          Effect.zipRight(Deferred.await(all)),
          Effect.zipRight(takeCall(connection(index % 2), rate)),
          sql.withTransaction
        )
      const standings = yield* Effect.forEach([0, 1, 2, 3], one, { concurrency: "unbounded" }).pipe(
        Effect.provide(both)
      )
      expect(standings.map(({ remaining }) => remaining).sort((a, b) => a - b)).toEqual([8, 8, 9, 9])
    }).pipe(Effect.scoped, Effect.runPromise))
})

describeCitus("limits, one server on a cluster on which one shard of the windows is blocked", (on) => {
  it("its calls wait on one connection, and calls of other shards are counted at once, and once [limits-6]", () =>
    withServers(on, (servers, sql) =>
      Effect.gen(function* () {
        const rate: Rate.Rate = { calls: 10, windowMillis: Timestamp.HOUR }
        const call = (index: number) => Effect.provide(takeCall(connection(index), rate), servers[0]!)
        const placed = yield* sql<{ readonly index: number; readonly is_blocked: boolean }>`
          SELECT i AS index, get_shard_id_for_distribution_column('rate_windows', ${connection(0)}::text)
            = get_shard_id_for_distribution_column('rate_windows', 'connection con_' || i) AS is_blocked
          FROM generate_series(0, 60) i`
        const those = (is: boolean) => placed.filter(({ is_blocked }) => is_blocked === is).map(({ index }) => index)
        const [mine, others] = [those(true), those(false)]
        // The test needs more subjects of the blocked shard than the pool has connections (4): if each blocked call
        // took a connection, the calls of other shards would get no connection.
        expect(mine.length).toBeGreaterThan(4)
        yield* Effect.forEach(mine, call, { concurrency: "unbounded" })
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* sql`UPDATE rate_windows SET used = used
                                  WHERE subject = ANY(${mine.map((index) => connection(index))}::text[])`.pipe(
          Effect.zipRight(Deferred.succeed(held, undefined)),
          Effect.zipRight(Deferred.await(release)),
          sql.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(held)
        const blocked = yield* Effect.fork(Effect.forEach(mine, call, { concurrency: "unbounded" }))
        const counted = yield* Effect.forEach(others, call, { concurrency: "unbounded" }).pipe(
          Effect.timeout("2 seconds")
        )
        expect(counted.map(({ remaining }) => remaining)).toEqual(others.map(() => 9))
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        expect((yield* Fiber.join(blocked)).map(({ remaining }) => remaining)).toEqual(mine.map(() => 8))
      })
    ))
})
