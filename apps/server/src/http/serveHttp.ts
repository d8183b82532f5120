import { HttpLive } from "@place-access/adapters-http"
import { UploadPace } from "@place-access/domain/fixes"
import { Mail, Program, VERSION } from "@place-access/worker"
import { Duration, Effect, Layer } from "effect"
import type { ServerSettings } from "../ServerSettings.js"
import * as Health from "./Health.js"
import type * as Listener from "./Listener.js"

/**
 * The most requests at the same time for each database connection. With eight, a connection is busy while some of the
 * requests wait for the event loop. With more, each request takes longer, and the server does not answer more requests
 * a second.
 */
const REQUESTS_OF_CONNECTION = 8
/**
 * The most requests at the same time with the embedded database. This database has one session, so with more requests
 * the server would not answer faster.
 */
const REQUESTS_EMBEDDED = 64

const requestsAtOnce = (storage: ServerSettings["storage"]): number =>
  storage._tag === "Postgres" ? REQUESTS_OF_CONNECTION * storage.poolSize : REQUESTS_EMBEDDED

/**
 * How fast a large upload is stored. The embedded database runs in this process, which answers no other request while
 * it stores a part of an upload. So with this database, the parts are smaller.
 */
const paceOf = (storage: ServerSettings["storage"]): UploadPace.UploadPace =>
  storage._tag === "Embedded" ? UploadPace.POLITE : UploadPace.FAIR

/**
 * Serves HTTP until it is interrupted, then drains. `ready` runs when all handlers are attached. `more` are further
 * routes. The caller must also run `recordFigures`, because a process needs one recorder of counts for all its
 * programs.
 */
export const serveHttp = (
  listener: Listener.HttpListener,
  settings: ServerSettings,
  ready: Effect.Effect<void>,
  more: Layer.Layer<never> = Layer.empty
) =>
  Effect.gen(function* () {
    listener.onMissing("the pages and the API are being made")
    const { authUrl, baseUrl, userPortalUrl } = settings.addresses
    const http = HttpLive.layer({
      baseUrl,
      authUrl,
      userPortalUrl,
      signUp: settings.signUp,
      addressRule: Mail.addressRule(settings.mail, settings.addresses, settings.host),
      staffSecondFactor: settings.staffSecondFactor,
      trustProxy: settings.trustProxy,
      trustTraceparent: settings.trustTraceparent,
      logRequests: settings.logRequests,
      rateLimitPerMinute: settings.rateLimitPerMinute,
      tileUrl: settings.tileUrl,
      securityContact: settings.securityContact,
      hasMailbox: Mail.hasMailbox(settings.mail, settings.addresses, settings.host),
      requestsAtOnce: requestsAtOnce(settings.storage),
      version: VERSION,
      stopping: listener.stopping
    }).pipe(Layer.provide([Health.layer(listener.isDraining, baseUrl), more]), Layer.provide(listener.layer))
    yield* Layer.build(http)
    yield* ready
    return yield* Effect.never.pipe(Effect.ensuring(stop(listener, settings)))
  }).pipe(Effect.scoped, Effect.provideService(UploadPace.Current, paceOf(settings.storage)))

const stop = (listener: Listener.HttpListener, { drainSeconds }: Pick<ServerSettings, "drainSeconds">) =>
  Effect.suspend(() => {
    // A person who has pressed Control-C at a terminal waits until the server has ended, and no load balancer needs a
    // warning.
    const announceFor = Program.wasInterruptedByPerson() ? 0 : drainSeconds
    return Effect.zipRight(
      Effect.logInfo(
        announceFor === 0
          ? "stopping: requests under way are finished"
          : `stopping: /readyz says no, requests are still answered for ${announceFor} s`
      ),
      listener.drain(Duration.seconds(announceFor))
    )
  })
