import { Effect, Option } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import type { Account } from "../accounts/Account.js"
import { AccountStore } from "../accounts/AccountStore.js"
import * as App from "../apps/App.js"
import { AppStore } from "../apps/AppStore.js"
import { FixStore } from "../fixes/FixStore.js"
import { PlaceStore } from "../places/PlaceStore.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import type { ConsentRequestId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { ConnectionStore } from "./ConnectionStore.js"
import * as ConsentMode from "./ConsentMode.js"
import * as ConsentRequest from "./ConsentRequest.js"
import * as ConsentReview from "./ConsentReview.js"
import { ConsentRefused } from "./Errors.js"
import * as Uses from "./Uses.js"

/**
 * What the consent page shows to the signed-in user. Refused: `unknown`, `expired`, `decided`, `sandbox`, `app_revoked`. Reads
 * only; the decision checks everything again.
 */
export const reviewConsent = (
  id: ConsentRequestId,
  account: Account
): Effect.Effect<
  ConsentReview.ConsentReview,
  ConsentRefused | StoreError,
  ConnectionStore | AppStore | AccountStore | AccessLogStore | PurposeStore | PlaceStore | FixStore
> =>
  Effect.gen(function* () {
    const connections = yield* ConnectionStore
    const now = yield* Timestamp.now
    const found = yield* connections.findRequest(id)
    if (Option.isNone(found)) return yield* new ConsentRefused({ reason: "unknown" })
    const request = found.value
    if (request.decided !== null) return yield* new ConsentRefused({ reason: "decided" })
    if (!ConsentRequest.isOpen(request, now)) return yield* new ConsentRefused({ reason: "expired" })
    const app = yield* (yield* AppStore).find(request.appId)
    if (Option.isNone(app) || app.value.revokedAt !== null) return yield* new ConsentRefused({ reason: "app_revoked" })
    if (!App.canBeConnectedBy(app.value, account.id)) return yield* new ConsentRefused({ reason: "sandbox" })

    const developer = yield* (yield* AccountStore).find(app.value.ownerId)
    const existing = Option.getOrUndefined(yield* connections.findLive(account.id, app.value.id))
    const purposes = yield* (yield* PurposeStore).list(app.value.id)
    const mode = ConsentMode.of(request.scopes, existing, app.value, now)
    const counted =
      mode === "renew_sensitive"
        ? yield* (yield* AccessLogStore).countUses(account.id, app.value.id, Uses.since(now))
        : undefined
    const phone = yield* (yield* FixStore).lastReceivedAt(account.id)
    return ConsentReview.of(
      {
        request,
        app: app.value,
        developerName: Option.match(developer, { onNone: () => "", onSome: (owner) => owner.displayName }),
        purposes,
        places: yield* (yield* PlaceStore).list(account.id),
        existing,
        uses: counted === undefined ? null : Uses.of(counted, purposes, app.value, request.scopes, now),
        phoneHasSent: Option.isSome(phone)
      },
      now
    )
  }).pipe(Effect.withSpan("reviewConsent"))
