import { Effect, Option } from "effect"
import { AppStore } from "../apps/AppStore.js"
import { readersOf } from "../apps/readApps.js"
import { DeliveryStore } from "./DeliveryStore.js"
import { MailOutbox } from "../mail/MailOutbox.js"
import { program, Timestamp } from "../shared/index.js"
import { EndpointStore, StrikeWarning } from "../endpoints/index.js"

/** How many warnings one query reads at most. */
const BATCH = 100

/**
 * Mails warnings about failing endpoints to owners and developers of the app, and returns how many warnings were
 * handled. A warning is a row of the app and a mail is a row of its reader. These rows may be on different shards of
 * the database, so one transaction cannot write both. First the mails are written into the outbox, and then the warning
 * is removed. When a worker dies in between, the next run writes the same mails again, and the outbox ignores them
 * (`dedupeKey`). May be interrupted, repeated and run by several workers. A warning that fails is logged, and the next
 * run tries again.
 */
export const warnOfStrikes = program("warnOfStrikes", function* () {
  const endpoints = yield* EndpointStore
  let settled = 0
  let after: StrikeWarning.StrikeWarning | undefined
  do {
    const warnings = yield* endpoints.listWarnings(BATCH, after)
    for (const warning of warnings) if (yield* settle(warning)) settled++
    after = warnings.length < BATCH ? undefined : warnings.at(-1)
  } while (after !== undefined)
  return settled
})

const settle = (warning: StrikeWarning.StrikeWarning) =>
  Effect.gen(function* () {
    const { appId, deliveryId, endpointId } = warning
    const endpoints = yield* EndpointStore
    const app = yield* (yield* AppStore).find(appId)
    const endpoint = yield* endpoints.find(appId, endpointId)
    // When the endpoint or the app no longer exists, there is nothing left to warn about.
    if (Option.isSome(app) && Option.isSome(endpoint)) {
      const logged = yield* (yield* DeliveryStore).find(appId, deliveryId)
      const lastAttempt = Option.match(logged, {
        onNone: () => null,
        onSome: ({ attempts }) => attempts.at(-1) ?? null
      })
      const message = StrikeWarning.message(warning, { app: app.value, endpoint: endpoint.value, lastAttempt })
      const outbox = yield* MailOutbox
      for (const to of yield* readersOf(app.value, ["owner", "developer"])) {
        yield* outbox.put({ ...message, to }, yield* Timestamp.now)
      }
    }
    yield* endpoints.forgetWarning(warning)
    return true
  }).pipe(
    Effect.catchAll((error) =>
      Effect.as(
        Effect.logWarning("The mail about a failing endpoint is not written yet", warning.deliveryId, error),
        false
      )
    )
  )
