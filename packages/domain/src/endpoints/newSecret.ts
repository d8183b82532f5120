import { Effect } from "effect"
import * as Entropy from "../shared/Entropy.js"
import type { AppId, EndpointId } from "../shared/Ids.js"
import { Vault } from "../shared/Vault.js"
import * as SigningSecret from "./SigningSecret.js"

/** A fresh signing secret: its text, to be shown once, and what is stored of it. */
export const newSecret = Effect.fn("newSecret")(function* (appId: AppId, id: EndpointId) {
  const vault = yield* Vault
  const text = `${SigningSecret.PREFIX}${yield* Entropy.secret}`
  return { text, sealed: yield* vault.seal(text, SigningSecret.sealContext(appId, id)) }
})
