import { SqlClient } from "@effect/sql/SqlClient"
import { Account } from "@place-access/domain/accounts"
import {
  MemoryAccountDeletionStore,
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryCredentialStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryFactorStore,
  MemoryPasswordHasher,
  MemoryStaffStore,
  MemoryVault
} from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { embeddedIn, makeDataFolder } from "../../../../packages/adapters-pg/test/support/embedded.js"
import { listen, send } from "../../src/operator/socket.js"

const stores = Layer.mergeAll(
  MemoryAccountDeletionStore.layer,
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryCredentialStore.layer,
  MemoryFactorStore.layer,
  MemoryPasswordHasher.layer,
  MemoryStaffStore.layer
).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Layer.merge(MemoryEntropy.layer, MemoryVault.layer))
)

/** The time-out of the socket. It is so long that even on a busy machine a line arrives in time. */
const PATIENCE_MILLIS = 1_000

const dataFolder = Effect.acquireRelease(Effect.promise(makeDataFolder), (made) =>
  Effect.promise(() => rm(made, { recursive: true, force: true, maxRetries: 5 }))
)

/** Connects, sends nothing, and waits until the server closes the connection after `PATIENCE_MILLIS`. */
const bySilence = (dataDir: string) =>
  Effect.promise(async () => {
    const socket = connect(join(dataDir, "control.sock"))
    socket.resume()
    await once(socket, "close")
  })

describe("a command that a running server carries out [staff-4]", () => {
  it.live("a backup may take longer than both sides wait for a silent connection", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataFolder
      const copy = `${dataDir}/copy`
      yield* Effect.gen(function* () {
        yield* listen(
          { baseUrl: "http://localhost", hasMailServer: false, dataDir, keysAreSet: false },
          PATIENCE_MILLIS
        )
        const sql = yield* SqlClient
        const gate = yield* Deferred.make<void>()
        const begun = yield* Deferred.make<void>()
        // The backup has to wait for this transaction. The test thus simulates a backup of a large folder, which takes
        // longer than the time-out.
        const before = yield* Effect.fork(
          sql.withTransaction(
            sql`SELECT 1`.pipe(
              Effect.zipRight(Deferred.succeed(begun, undefined)),
              Effect.zipRight(Deferred.await(gate))
            )
          )
        )
        yield* Deferred.await(begun)
        const backup = yield* Effect.fork(send(dataDir, { _tag: "Backup", folder: copy }, PATIENCE_MILLIS))
        // Each of these two connections sends nothing until the server closes it after `PATIENCE_MILLIS`. The second
        // connection begins after the backup command was sent. When the server closes the second connection, the backup
        // command has waited for longer than the time-out, and its connection must still be open.
        yield* bySilence(dataDir)
        yield* bySilence(dataDir)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(before)
        expect(Option.getOrThrow(yield* Fiber.join(backup)).line).toEqual({ backup: copy })
      }).pipe(Effect.scoped, Effect.provide(Layer.merge(stores, embeddedIn(dataDir))))
    }).pipe(Effect.scoped)
  )

  it.live("keeps no server from stopping: a silent connection is closed, and a long command is interrupted", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataFolder
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient
        const running = yield* Scope.make()
        yield* Scope.extend(
          listen({ baseUrl: "http://localhost", hasMailServer: false, dataDir, keysAreSet: false }),
          running
        )
        const silent = connect(join(dataDir, "control.sock"))
        yield* Effect.promise(() => once(silent, "connect"))
        // The backup waits for this transaction. So it takes as long as the copy of a large folder would.
        const [begun, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holding = Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(gate))
        const holder = yield* Effect.fork(sql.withTransaction(Effect.zipRight(sql`SELECT 1`, holding)))
        yield* Deferred.await(begun)
        const refused = Effect.flip(send(dataDir, { _tag: "Backup", folder: `${dataDir}/copy` }))
        const backup = yield* Effect.fork(Effect.map(refused, ({ message }) => [message, performance.now()] as const))
        yield* Effect.sleep("500 millis")
        const silentEnds = Effect.promise(() => once(silent.resume(), "close"))
        const silentEnded = yield* Effect.fork(Effect.map(silentEnds, () => performance.now()))
        const stoppedAt = performance.now()
        yield* Scope.close(running, Exit.void)
        // After 20 s the program would end itself, with the exit code 1 (`Program`). A silent connection lasts 30 s.
        expect(performance.now() - stoppedAt).toBeLessThan(20_000)
        const [message, backupEndedAt] = yield* Fiber.join(backup)
        expect(message).toBe("The running server gave no answer. Look into its log.")
        // The server closes the silent connection before it waits three seconds for the backup.
        expect(backupEndedAt - (yield* Fiber.join(silentEnded))).toBeGreaterThan(1_000)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(holder)
        expect(existsSync(`${dataDir}/copy`)).toBe(false)
      }).pipe(Effect.scoped, Effect.provide(Layer.merge(stores, embeddedIn(dataDir))))
    }).pipe(Effect.scoped)
  )

  it.live("any other command gives up when the server stays silent", () =>
    Effect.gen(function* () {
      const dataDir = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "place-access-"))),
        (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
      )
      yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const server = createServer().listen(join(dataDir, "control.sock"))
          await once(server, "listening")
          return server
        }),
        (server) => Effect.sync(() => server.close())
      )
      const command = { _tag: "Show", account: Account.Email.make("ada@example.com") } as const
      expect(yield* Effect.flip(send(dataDir, command, PATIENCE_MILLIS))).toMatchObject({
        message: "The running server gave no answer. Look into its log."
      })
    }).pipe(Effect.scoped)
  )
})
