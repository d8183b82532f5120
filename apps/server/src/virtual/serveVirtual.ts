import { type HttpApp, HttpServer, HttpServerRequest } from "@effect/platform"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Bucket, everything, type WorkerLeases } from "@place-access/domain/leases"
import { ExportStore } from "@place-access/domain/exports"
import { recordFigures } from "@place-access/domain/figures"
import { FixStore } from "@place-access/domain/fixes"
import { ImportStore } from "@place-access/domain/imports"
import { TierStore } from "@place-access/domain/sweeps"
import { Entropy, Timestamp } from "@place-access/domain/shared"
import { VirtualTime } from "@place-access/domain/testing"
import { DataFolder, NodeEntropy } from "@place-access/adapters-pg"
import {
  CannotStart,
  isLoopback,
  isLoopbackUrl,
  Misspelt,
  Program,
  type Settings as WorkerSettings,
  Stores,
  Webhooks,
  work
} from "@place-access/worker"
import { Clock, Console, Context, Effect, identity, Layer, Option, Runtime } from "effect"
import { resolve } from "node:path"
import * as Listener from "../http/Listener.js"
import { serveHttp } from "../http/serveHttp.js"
import * as NpmScripts from "../NpmScripts.js"
import { factsOf } from "../operator/perform.js"
import * as OperatorSocket from "../operator/socket.js"
import * as Ports from "../Ports.js"
import * as Settings from "../ServerSettings.js"
import * as Bar from "./bar.js"
import * as Mark from "./Mark.js"
import { Mover } from "./Mover.js"
import * as News from "./news.js"
import * as Restartable from "./Restartable.js"
import * as Routes from "./routes.js"
import * as SeededEntropy from "./SeededEntropy.js"
import type { VirtualOptions } from "./VirtualOptions.js"
import { World } from "./World.js"
import * as WorldKeys from "./WorldKeys.js"
import * as WorldSnapshots from "./WorldSnapshots.js"

/**
 * The time at which the clock of a world with a seed begins: 2026-01-05T09:00:00Z. It is fixed, so that a seed gives
 * the same run on every day.
 */
const SEEDED_START = 1_767_603_600_000

/** The simulated process to which the worker's loops belong. Its name selects their streams of random bytes. */
const WORKER: VirtualTime.Process.Process = { name: "worker", epoch: 1, isAlive: true }

/** The leases of the worker. The embedded database has only one worker, so this worker always has all buckets. */
const LEASES: WorkerLeases = {
  ...everything,
  look: Effect.succeed(Bucket.ALL),
  crew: () => ({ size: 1, place: 0, hasSurplus: false, heldSince: null }),
  leave: Effect.void
}

const refused = (message: string) => Effect.fail(new CannotStart({ fault: "settings", message }))

/**
 * The storage of a service that may run on virtual time with these settings. Fails with the reason when it may not
 * (decision virtual-time-1).
 */
const allowedStorage = ({
  addresses,
  host,
  mail,
  storage
}: Settings.ServerSettings): Effect.Effect<WorkerSettings.Embedded, CannotStart> => {
  if (storage._tag === "Postgres") {
    return refused(
      "--clock virtual needs the embedded database: take DATABASE_URL away. Real data never lives on virtual time."
    )
  }
  const far = [addresses.baseUrl, addresses.authUrl, addresses.userPortalUrl].some((one) => !isLoopbackUrl(one))
  if (far || !isLoopback(host)) {
    return refused(
      "--clock virtual is for this machine only: set HOST and BASE_URL to names of this machine, such as localhost."
    )
  }
  return mail === null
    ? Effect.succeed(storage)
    : refused("--clock virtual sends no e-mail: take SMTP_URL away. The messages are at /dev/mailbox.")
}

const newMark = ({ at, seed }: VirtualOptions) =>
  Effect.map(Clock.currentTimeMillis, (now): Mark.Mark => ({
    now: at ?? (seed === null ? Math.floor(now / 1_000) * 1_000 : SEEDED_START),
    seed,
    starts: 0
  }))

const prepare = (dataDir: string) =>
  Effect.mapError(DataFolder.prepare(dataDir), ({ message }) => new CannotStart({ fault: "settings", message }))

const startedAs = (mark: Mark.Mark, isUsed: boolean): Mark.Mark => (isUsed ? mark : { ...mark, starts: 0 })

/** Opens the world of the data folder; makes a world in a new folder. */
export const openWorld = (dataDir: string, options: VirtualOptions) =>
  Effect.gen(function* () {
    const found = yield* Mark.read(dataDir)
    const isAsked = options.seed !== null || options.at !== null
    const isUsed = Option.isSome(found) && Mark.hasDatabase(dataDir)
    if (isUsed && isAsked) {
      return yield* new CannotStart({
        fault: "usage",
        message: "--seed and --at are for a new world, and this data folder has one already. Choose another DATA_DIR."
      })
    }
    // `prepare` accepts every folder that has the mark of a test world (`Mark`), so `prepare` must check a new folder
    // before the first mark is written.
    if (Option.isNone(found)) yield* prepare(dataDir)
    // A start that failed before it made the database does not count. So the next start is the first start again: with
    // another number of starts, the seed would give other ids.
    const before =
      Option.isNone(found) || (!isUsed && isAsked) ? yield* newMark(options) : startedAs(found.value, isUsed)
    const mark = { ...before, starts: before.starts + 1 }
    yield* Mark.write(dataDir, mark)
    return mark
  })

/**
 * A request may make work for the worker's loops, even when it raises no `WorkSignal`. So after each request, loops
 * that slowed down look for work at their normal pace. Requests to the world itself (`/dev/…`), such as those of the
 * bar with the clock on every page, do not change the pace.
 */
const stirring =
  ({ world }: Mover) =>
  <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<E, R | HttpServerRequest.HttpServerRequest> =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
      url.startsWith("/dev/")
        ? app
        : Effect.ensuring(
            app,
            Effect.sync(() => world.stir())
          )
    )

/**
 * The listener of a test world. It adds a bar with the world's clock to every page, and after a request, loops that
 * slowed down return to their normal pace (`stirring`).
 */
const ofWorld = (listener: Listener.HttpListener, mover: Mover): Listener.HttpListener => ({
  ...listener,
  layer: Layer.map(listener.layer, (context) => {
    const server = Context.get(context, HttpServer.HttpServer)
    const { serve } = server
    return Context.add(context, HttpServer.HttpServer, {
      ...server,
      serve: ((app, middleware) =>
        serve(Bar.onPages(mover)(stirring(mover)(middleware === undefined ? app : middleware(app))))) as typeof serve
    })
  })
})

/** Runs the whole service on a clock that moves only by orders, in a separate data folder. */
export const serveVirtual = (settings: Settings.ServerSettings, options: VirtualOptions) =>
  Effect.gen(function* () {
    const storage = yield* allowedStorage(settings)
    const { addresses } = settings
    Program.drainsFor(settings.drainSeconds)
    const mark = yield* openWorld(storage.dataDir, options)
    const world = new World(mark.now)
    const save = Effect.suspend(() => Mark.write(storage.dataDir, { ...mark, now: world.now }))
    const mover = new Mover(world, () => Effect.runPromise(save))
    const runtime = yield* Effect.runtime<never>()
    mover.onFailure = (error) =>
      void Runtime.runFork(runtime)(
        Effect.logWarning("The clock of the test world stands: it could not be moved", error)
      )
    yield* Effect.addFinalizer(() => Effect.sync(() => mover.close()))
    yield* Effect.withClock(run(settings, storage, mark, mover, addresses), world.shown)
  }).pipe(Effect.scoped)

const run = (
  settings: Settings.ServerSettings,
  storage: WorkerSettings.Embedded,
  mark: Mark.Mark,
  mover: Mover,
  addresses: Settings.ServerSettings["addresses"]
) =>
  Effect.gen(function* () {
    const { world } = mover
    yield* Misspelt.warnings(process.env, Settings.all)
    yield* Webhooks.warnIfInsecure(settings.webhooks)
    const listener = Listener.make(settings.host, settings.port, addresses.baseUrl)
    yield* Effect.acquireRelease(listener.listen, () => listener.close)
    const seeded = mark.seed === null ? undefined : SeededEntropy.make(`${mark.seed}\n${mark.starts}`)
    const entropy = seeded === undefined ? NodeEntropy.layer : Layer.succeed(Entropy.Entropy, seeded.entropy)
    const ports = Ports.layerOver(
      Stores.over(world.signal, entropy),
      world.sending.around(Webhooks.layer(settings.webhooks)),
      { storage: WorldKeys.ofWorld(settings.storage, mark) },
      Ports.ofServer(listener)
    )
    const loops = work(settings, { leases: LEASES, regular: VirtualTime.Process.periodic }).pipe(
      Effect.locally(VirtualTime.Process.current, WORKER),
      Effect.withClock(world.clock)
    )
    yield* Effect.gen(function* () {
      yield* connect(world, yield* recordFigures())
      // Writes the mark again, now that this server has the folder's lock. A server that started at the same time, and
      // did not get the lock, may have written its own seed. But the key of the database is derived from the seed of
      // this server.
      yield* Mark.write(storage.dataDir, { ...mark, now: world.now })
      // The finalizer is added only after the database is open: a server that did not get the folder's lock must not
      // overwrite the mark of the server that has the lock.
      yield* Effect.addFinalizer(() =>
        Effect.promise(() => {
          mover.close()
          return mover.store()
        })
      )
      const running = yield* Restartable.make(loops)
      const snapshots = yield* WorldSnapshots.make(mover, running, seeded)
      const http = serveHttp(
        ofWorld(listener, mover),
        settings,
        Console.log(welcome(settings, storage.dataDir, mover)),
        Routes.layer(mover, snapshots, addresses)
      )
      const served = Effect.scoped(Effect.zipRight(OperatorSocket.listen(factsOf(storage, settings)), http))
      yield* Effect.all([served, running.ended], { concurrency: "unbounded", discard: true })
    }).pipe(Effect.scoped, Effect.provide(ports))
  })

/**
 * Connects the world with its database, so that the world can read what happened and what is due. `storeFigures` stores
 * the counts that the programs keep in memory.
 */
const connect = (world: World, storeFigures: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<SqlClient>()
    const [exports, fixes, imports, tiers] = [yield* ExportStore, yield* FixStore, yield* ImportStore, yield* TierStore]
    world.storeFigures = () => Runtime.runPromise(runtime)(storeFigures)
    world.readNews = (at) => Runtime.runPromise(runtime)(News.read(at))
    world.clock.hasDateBy = (moment) =>
      Effect.map(
        Effect.orDie(tiers.due({ buckets: Bucket.ALL, now: Timestamp.make(moment), limit: 1, after: undefined })),
        (due) => due.length > 0
      )
    // While somebody moves the clock forward, the clock calls this function to find out whether work is due: imports,
    // exports, or rules whose `settle_s` or `silence_s` has passed. The clock stops where work is due, so the worker
    // does the work at the same times as with a clock that runs by itself.
    world.clock.hasWorkBy = (moment) => {
      const by = Timestamp.make(moment)
      const work = [
        Effect.map(fixes.settling(Bucket.ALL, by, 1), (due) => due.length > 0),
        Effect.map(imports.due(Bucket.ALL, by, []), Option.isSome),
        Effect.map(exports.due(Bucket.ALL, by), Option.isSome)
      ]
      return Effect.orDie(Effect.exists(work, identity))
    }
  })

const welcome = ({ addresses: { baseUrl } }: Settings.ServerSettings, dataDir: string, { state }: Mover): string =>
  NpmScripts.onlyThere(`
  A test world of the Place-Aware Access Service is ready. Never keep real data in it.

    Pages and API                                 ${baseUrl}
    The clock shows ${state.now} and stands still. Move it:
      npm run clock -- advance 14d
      curl ${baseUrl}/dev/clock --json '{"advance":"14d"}'

  The data is in ${resolve(dataDir)}. It is marked as a test world: an ordinary start refuses it.

  To stop:  Control-C
`)
