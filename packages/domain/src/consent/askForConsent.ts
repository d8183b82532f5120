import { Effect, Option } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import { type Account, type AddressRule, countsAsConfirmed, UNCONFIRMED } from "../accounts/Account.js"
import { AccountStore } from "../accounts/AccountStore.js"
import * as App from "../apps/App.js"
import { AppStore } from "../apps/AppStore.js"
import { ConnectionStore } from "../connection/ConnectionStore.js"
import { ConsentRefused } from "../connection/Errors.js"
import * as Uses from "../connection/Uses.js"
import { WorkSignal } from "../events/WorkSignal.js"
import { FixStore } from "../fixes/FixStore.js"
import { PlaceStore } from "../places/PlaceStore.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import {
  ConnectionId,
  ConsentRequestId,
  Entropy,
  EventId,
  Forbidden,
  Invalid,
  program,
  Sub,
  Timestamp
} from "../shared/index.js"
import { Vault } from "../shared/Vault.js"
import * as AskingApp from "./AskingApp.js"
import * as AuthorizeRequest from "./AuthorizeRequest.js"
import type { ConsentChoices } from "./ConsentChoices.js"
import * as ConsentDecision from "./ConsentDecision.js"
import * as ConsentMode from "./ConsentMode.js"
import * as ConsentRequest from "./ConsentRequest.js"
import * as ConsentReview from "./ConsentReview.js"
import { ConsentStore } from "./ConsentStore.js"

/**
 * Checks a `GET /authorize` and stores it as a consent request. The user then signs in, reviews the request and decides
 * (Spec §4.1). Fails with `AuthorizePage` or `AuthorizeRedirect` for a bad request, and with `ConsentRefused` when the
 * app is suspended.
 */
export const startConsent = program(
  "startConsent",
  function* (parameters: AuthorizeRequest.Parameters, issuer: string) {
    const appId = yield* AuthorizeRequest.clientId(parameters)
    const app = yield* (yield* AppStore).find(appId)
    const purposes = yield* (yield* PurposeStore).list(appId)
    const checked = yield* AuthorizeRequest.check(parameters, app, purposes, issuer)
    const request: ConsentRequest.ConsentRequest = {
      ...checked,
      id: ConsentRequestId.make(yield* Entropy.id("crq")),
      createdAt: yield* Timestamp.now,
      decided: null
    }
    yield* (yield* ConsentStore).createRequest(request)
    return request
  }
)

/**
 * The app whose consent page comes after the sign-in, for the pages that a person sees before the sign-in (decision
 * consent-10). None when these pages must not mention an app.
 */
export const findAskingApp = program("findAskingApp", function* (id: ConsentRequestId) {
  const request = yield* (yield* ConsentStore).findRequest(id)
  if (Option.isNone(request)) return Option.none()
  const app = yield* (yield* AppStore).find(request.value.appId)
  const now = yield* Timestamp.now
  return Option.flatMap(app, (found) => AskingApp.of(request.value, found, now))
})

/**
 * What the consent page shows. Fails with `ConsentRefused` when the request cannot be answered. Changes nothing;
 * `decideConsent` checks everything again.
 */
export const reviewConsent = program("reviewConsent", function* (id: ConsentRequestId, account: Account) {
  const now = yield* Timestamp.now
  const found = yield* (yield* ConsentStore).findRequest(id)
  if (Option.isNone(found)) return yield* new ConsentRefused({ reason: "unknown" })
  const request = found.value
  if (request.decided !== null) return yield* new ConsentRefused({ reason: "decided" })
  if (!ConsentRequest.isOpen(request, now)) return yield* new ConsentRefused({ reason: "expired" })
  const app = yield* (yield* AppStore).find(request.appId)
  if (Option.isNone(app)) return yield* new ConsentRefused({ reason: "app_revoked" })
  const closed = ConsentDecision.closedApp(app.value)
  if (closed !== undefined) return yield* new ConsentRefused({ reason: closed })
  // When the app no longer has the redirect URI of the request, `decideConsent` refuses every answer. Without this
  // check, the user would see the page again after each answer.
  if (!ConsentDecision.canBeAnswered(request, app.value, account.testOf)) {
    return yield* new ConsentRefused({ reason: "outdated" })
  }
  if (!App.canBeConnectedBy(app.value, account)) return yield* new ConsentRefused({ reason: "sandbox" })

  const developer = yield* (yield* AccountStore).find(app.value.ownerId)
  const existing = Option.getOrUndefined(yield* (yield* ConnectionStore).findLive(account.id, app.value.id))
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
})

/**
 * Stores the signed-in user's answer to a consent page, and returns the address to which the browser is redirected.
 * Idempotent: the same form gets the same code while the app can exchange it (Spec §3.1, §4.1; decisions O3, O8,
 * consent-6).
 *
 * Fails with:
 * - `Invalid`, which names fields of the form (`decision`, `scope`, `place`, `standard_days`, `sensitive_days`): the
 *   page is then shown again with the problems
 * - `ConsentRefused` when the request cannot be answered
 * - `Forbidden` when the user allows the app and the user's address is not confirmed (decision accounts-11)
 */
export const decideConsent = program(
  "decideConsent",
  function* (id: ConsentRequestId, account: Account, choices: ConsentChoices, issuer: string, rule: AddressRule) {
    if (choices.decision === "allow" && !countsAsConfirmed(account, rule)) {
      return yield* new Forbidden({ reason: UNCONFIRMED })
    }
    const consents = yield* ConsentStore
    const vault = yield* Vault
    const request = yield* consents.findRequest(id)
    if (Option.isNone(request)) return yield* new ConsentRefused({ reason: "unknown" })
    const input: ConsentDecision.ConsentInput = {
      userId: account.id,
      testOf: account.testOf,
      choices,
      purposes: yield* (yield* PurposeStore).list(request.value.appId),
      issuer,
      phoneHasSent: Option.isSome(yield* (yield* FixStore).lastReceivedAt(account.id)),
      fresh: {
        connectionId: ConnectionId.make(yield* Entropy.id("con")),
        sub: Sub.make(yield* Entropy.id("sub"))
      },
      eventId: EventId.make(yield* Entropy.id("evt")),
      codeSecrets: new Map(
        yield* Effect.forEach(vault.keys, (key) =>
          Effect.map(vault.derive("authorization-code", key, id), (secret) => [key, secret] as const)
        )
      ),
      currentKey: vault.currentKey,
      hash: vault.sha256
    }
    const outcome = yield* consents.decideRequest(id, account.id, (state, now) =>
      ConsentDecision.decide(input, state, now)
    )
    if (Option.isNone(outcome)) return yield* new ConsentRefused({ reason: "unknown" })
    switch (outcome.value._tag) {
      case "Redirect":
        // Wakes a worker, which sends the events of the decision, if there are any.
        yield* (yield* WorkSignal).raise
        return { redirectTo: outcome.value.to }
      case "Refused":
        return yield* new ConsentRefused({ reason: outcome.value.reason })
      case "Invalid":
        return yield* new Invalid({ problems: [...outcome.value.problems] })
    }
  }
)
