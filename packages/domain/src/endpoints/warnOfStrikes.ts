import { Effect, Option } from "effect"
import { AppStore } from "../apps/AppStore.js"
import { DeliveryStore } from "../deliveries/DeliveryStore.js"
import { MailOutbox } from "../mail/MailOutbox.js"
import * as Timestamp from "../shared/Timestamp.js"
import { EndpointStore } from "./EndpointStore.js"
import * as StrikeWarning from "./StrikeWarning.js"

/** So many warnings are looked up at a time. */
const BATCH = 100

/**
 * Writes the mails about endpoints that fail, and answers how many warnings were settled. A strike is the app's and a mail its
 * developer's, so the mail is put into the outbox first and the warning forgotten after that: who dies in between repeats a
 * message that is there already. Can be interrupted and repeated at any point, by any number of workers. A warning that cannot
 * be settled now is logged and left to the next run.
 */
export const warnOfStrikes = Effect.fn("warnOfStrikes")(function* () {
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
    // Who removed the endpoint needs no warning.
    if (Option.isSome(app) && Option.isSome(endpoint)) {
      const logged = yield* (yield* DeliveryStore).find(appId, deliveryId)
      const lastAttempt = Option.match(logged, {
        onNone: () => null,
        onSome: ({ attempts }) => attempts.at(-1) ?? null
      })
      const message = StrikeWarning.message(warning, { app: app.value, endpoint: endpoint.value, lastAttempt })
      yield* (yield* MailOutbox).put(message, yield* Timestamp.now)
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
