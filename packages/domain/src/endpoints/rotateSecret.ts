import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import type { AppId, EndpointId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import { EndpointStore } from "./EndpointStore.js"
import { newSecret } from "./newSecret.js"
import * as SigningSecret from "./SigningSecret.js"

/** The new secret, told once; the old one signs too for 24 hours (Spec §4.7). `NotFound` for what is not the account's. */
export const rotateSecret = Effect.fn("rotateSecret")(function* (account: Account, appId: AppId, id: EndpointId) {
  yield* getOwnedApp(account, appId)
  const secret = yield* newSecret(appId, id)
  const changed = yield* (yield* EndpointStore).update(appId, id, (before, now) => ({
    ...before,
    secrets: SigningSecret.rotate(before.secrets, secret.sealed, now)
  }))
  const endpoint = yield* Effect.mapError(changed, () => new NotFound({ what: "endpoint" }))
  return { endpoint, secret: secret.text }
})
