import { HttpLive } from "@place-access/adapters-http"
import { Data, Mail, Stores, Webhooks } from "@place-access/worker/host"
import { Effect, Layer } from "effect"
import * as Health from "./Health.js"
import type * as Listener from "./Listener.js"
import type { ServerSettings } from "./ServerSettings.js"
import { VERSION } from "./version.js"

const PROGRAM = "place-access server"

/** The database, up to date. */
export const database = (settings: Pick<ServerSettings, "storage">) => Data.upToDate(settings.storage, PROGRAM)

/** Every port of the domain. The keys come first: they are never made for a database that is there already. */
export const ports = (settings: Pick<ServerSettings, "storage" | "webhooks">) =>
  Layer.merge(Stores.layer, Webhooks.layer(settings.webhooks)).pipe(
    Layer.provideMerge(database(settings)),
    Layer.provideMerge(Data.vault(settings.storage))
  )

/** The HTTP side: answers until interrupted, and then finishes what is under way. `ready` runs when all of it is there. */
export const serveHttp = (listener: Listener.Listener, settings: ServerSettings, ready: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const { authUrl, baseUrl, userPortalUrl } = settings.addresses
    const http = HttpLive.layer({
      baseUrl,
      authUrl,
      userPortalUrl,
      signUp: settings.signUp,
      trustProxy: settings.trustProxy,
      trustTraceparent: settings.trustTraceparent,
      rateLimitPerMinute: settings.rateLimitPerMinute,
      tileUrl: settings.tileUrl,
      hasMailbox: Mail.hasMailbox(settings.mail, settings.addresses),
      version: VERSION,
      stopping: listener.stopping
    }).pipe(Layer.provide(Health.layer(listener.isDraining)), Layer.provide(listener.layer))
    yield* Layer.build(http)
    yield* ready
    return yield* Effect.never.pipe(
      Effect.ensuring(Effect.zipRight(Effect.logInfo("stopping: requests under way are finished"), listener.drain))
    )
  }).pipe(Effect.scoped)
