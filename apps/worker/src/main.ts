import {
  CannotStart,
  ConfigReport,
  Data,
  Logging,
  Mail,
  Program,
  Settings,
  Stores,
  Telemetry,
  TelemetrySettings,
  Webhooks,
  work
} from "./host/index.js"
import { Config, Effect, Layer } from "effect"

const config = Config.all({
  addresses: Settings.addresses,
  storage: Settings.storage,
  webhooks: Settings.webhooks,
  mail: Settings.mail,
  logging: Settings.logging,
  telemetry: TelemetrySettings.config
})
type WorkerSettings = Config.Config.Success<typeof config>

const ports = (settings: WorkerSettings) =>
  Layer.merge(Stores.layer, Webhooks.layer(settings.webhooks)).pipe(
    Layer.provideMerge(Data.upToDate(settings.storage, "place-access worker")),
    Layer.provideMerge(Data.vault(settings.storage))
  )

/** Said at once, while what is under way is still waited for. */
const farewell = Effect.onInterrupt(Effect.never, () => Effect.logInfo("stopping: sends under way are finished"))

const run = (settings: WorkerSettings) =>
  Effect.gen(function* () {
    if (settings.storage._tag === "Embedded") {
      return yield* new CannotStart({
        fault: "settings",
        message: "DATABASE_URL is missing. With the embedded database the server does the worker's work itself."
      })
    }
    yield* Webhooks.warnIfInsecure(settings.webhooks)
    yield* Mail.warnings(settings.mail, settings.addresses)
    const loops = Effect.all([work(settings), farewell], { concurrency: "unbounded", discard: true })
    yield* Effect.zipRight(Effect.logInfo("the worker is ready"), loops).pipe(Effect.provide(ports(settings)))
  })

Program.run(
  Effect.flatMap(ConfigReport.read(config), (settings) =>
    Effect.provide(
      run(settings),
      Layer.provideMerge(Telemetry.layer(settings.telemetry, "place-access-worker"), Logging.layer(settings.logging))
    )
  )
)
