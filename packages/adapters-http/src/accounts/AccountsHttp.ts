import { signUp } from "@place-access/domain/accounts"
import { Rate, Subject } from "@place-access/domain/limits"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { clientAddress } from "../edge/ClientAddress.js"
import * as RateLimit from "../limits/RateLimit.js"
import { HttpOptions } from "../HttpOptions.js"
import { toWire } from "../wire/toWire.js"
import { toBody } from "./AccountsApi.js"

export const layer = Group.group(Api, "accounts", (handlers) =>
  handlers.handle(
    "signUp",
    ({ payload }) =>
      Effect.gen(function* () {
        const { signUp: policy } = yield* HttpOptions
        yield* RateLimit.take(Subject.signUp(yield* clientAddress), Rate.SIGN_UPS)
        const { display_name: displayName, email, keep_days: keep, password } = payload
        return toBody(yield* signUp({ email, password, displayName, keep }, policy))
      }).pipe(toWire),
    { uninterruptible: true }
  )
)
