import { HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import type { Account } from "@place-access/domain/accounts"
import { requestUnlock, useUnlock } from "@place-access/domain/credentials"
import { Rate, Subject } from "@place-access/domain/limits"
import { Effect } from "effect"
import { clientAddress } from "../edge/ClientAddress.js"
import { HttpOptions } from "../HttpOptions.js"
import * as RateLimit from "../limits/RateLimit.js"
import * as Credentials from "../security/Credentials.js"
import { afterAnswer } from "../edge/afterAnswer.js"

// The steps for mailed links that the API and the pages share.

/** Counts a request that orders or uses a mailed link against the limit of the request's network address. */
export const takeLink = Effect.flatMap(clientAddress, (address) => RateLimit.take(Subject.reset(address), Rate.RESETS))

/**
 * Counts the request against the limit of its network address. Then mails an unlock link (see `unlockBrowser`) if an
 * account has this e-mail address and the limit of links for this e-mail address is not used up.
 */
export const mailUnlockLink = (email: Account.Email) =>
  Effect.zipRight(takeLink, afterAnswer("An unlock link could not be mailed", requestUnlock(email)))

/**
 * Uses up an unlock link, which makes this browser known to the account: the owner can then sign in with this browser
 * even while strangers guess passwords. The returned `withCookie` adds the cookie of the known browser to an answer.
 */
export const unlockBrowser = (token: string) =>
  Effect.gen(function* () {
    yield* takeLink
    const options = yield* HttpOptions
    const before = Credentials.knownBrowser(yield* HttpServerRequest.HttpServerRequest, options)
    const { account, cookie } = yield* useUnlock(token, before)
    const withCookie = (response: HttpServerResponse.HttpServerResponse) =>
      Credentials.setKnownBrowser(response, cookie, options)
    return { account, withCookie }
  })
