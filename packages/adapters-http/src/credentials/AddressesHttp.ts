import { HttpServerResponse } from "@effect/platform"
import {
  confirmAddress,
  requestAddressChange,
  requestConfirmation,
  undoAddressChange
} from "@place-access/domain/credentials"
import { Effect } from "effect"
import { toBody } from "../accounts/AccountsApi.js"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { HttpOptions } from "../HttpOptions.js"
import { requireFreshSignIn } from "../security/FreshSignIn.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"
import { mailUnlockLink, takeLink, unlockBrowser } from "./addressLinks.js"
import { staysKnown } from "./staysKnown.js"

export const layer = Group.group(Api, "addresses", (handlers) =>
  handlers
    .handle(
      "requestAddressChange",
      ({ payload }) =>
        Effect.gen(function* () {
          yield* requireFreshSignIn
          yield* takeLink
          yield* requestAddressChange(yield* SignedIn, payload.email)
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "requestConfirmation",
      () => toWire(Effect.zipRight(takeLink, Effect.flatMap(SignedIn, requestConfirmation))),
      { uninterruptible: true }
    )
    .handle(
      "confirmAddress",
      ({ payload }) =>
        Effect.gen(function* () {
          yield* takeLink
          return toBody(yield* confirmAddress(yield* SignedIn, payload.token, (yield* HttpOptions).addressRule))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "undoAddressChange",
      ({ payload }) =>
        Effect.gen(function* () {
          yield* takeLink
          const rule = (yield* HttpOptions).addressRule
          const restored = yield* undoAddressChange(payload.token, payload.password, rule)
          return yield* staysKnown(restored, HttpServerResponse.empty({ status: 204 }))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle("requestUnlock", ({ payload }) => toWire(mailUnlockLink(payload.email)), { uninterruptible: true })
    .handle(
      "useUnlock",
      ({ payload }) =>
        Effect.gen(function* () {
          const { withCookie } = yield* unlockBrowser(payload.token)
          return withCookie(HttpServerResponse.empty({ status: 204 }))
        }).pipe(toWire),
      { uninterruptible: true }
    )
)
