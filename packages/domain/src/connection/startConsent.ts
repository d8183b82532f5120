import { Effect } from "effect"
import { AppStore } from "../apps/AppStore.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import * as Entropy from "../shared/Entropy.js"
import { ConsentRequestId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as AuthorizeRequest from "./AuthorizeRequest.js"
import { ConnectionStore } from "./ConnectionStore.js"
import type { ConsentRequest } from "./ConsentRequest.js"
import type { AuthorizePage, AuthorizeRedirect } from "./Errors.js"

/** Checks `GET /authorize` and keeps what it asked for, to be reviewed and decided by whoever signs in (Spec §4.1). */
export const startConsent = (
  parameters: AuthorizeRequest.Parameters,
  issuer: string
): Effect.Effect<
  ConsentRequest,
  AuthorizePage | AuthorizeRedirect | StoreError,
  AppStore | PurposeStore | ConnectionStore | Entropy.Entropy
> =>
  Effect.gen(function* () {
    const appId = yield* AuthorizeRequest.clientId(parameters)
    const app = yield* (yield* AppStore).find(appId)
    const purposes = yield* (yield* PurposeStore).list(appId)
    const checked = yield* AuthorizeRequest.check(parameters, app, purposes, issuer)
    const request: ConsentRequest = {
      ...checked,
      id: ConsentRequestId.make(yield* Entropy.id("crq")),
      createdAt: yield* Timestamp.now,
      decided: null
    }
    yield* (yield* ConnectionStore).createRequest(request)
    return request
  }).pipe(Effect.withSpan("startConsent"))
