import type { WebhookAnswer } from "../endpoints/WebhookSender.js"
import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getApp } from "../apps/readApps.js"
import * as Delivery from "./Delivery.js"
import { DeliveryStore } from "./DeliveryStore.js"
import { notSigned } from "./beforeSending.js"
import { type WebhookPost, type PostedWebhook, ownHeaders, signedPost } from "./signedPost.js"
import { body, type Envelope, type EventType } from "../events/Event.js"
import * as SampleEvent from "../events/SampleEvent.js"
import { Entropy, NotFound, program, Timestamp } from "../shared/index.js"
import { type AppId, DeliveryId, type EndpointId, EventId } from "../shared/Ids.js"
import { EndpointStore } from "../endpoints/EndpointStore.js"
import * as SigningSecret from "../endpoints/SigningSecret.js"
import { isEnabled } from "../endpoints/WebhookEndpoint.js"

export interface TestResult {
  readonly delivered: boolean
  /** Null when there was no answer. */
  readonly status: number | null
  /** The result, in words for the developer. */
  readonly detail: string
}

/**
 * Sends one signed event now, a `ping` or a sample of another type (decision test-people-5), and returns the result
 * (Spec §4.7). Even a disabled endpoint can be tested, because the result helps the developer to decide whether to
 * enable it. `detail` then says that the endpoint is disabled (decision M10). The test is logged and never changes
 * strikes (decision W6). Fails with `NotFound` when the account is not in the app's team, or the app has no endpoint
 * with this id, and with `Forbidden` when the account's role may only read.
 */
export const sendTest = program(
  "sendTest",
  function* (account: Account, appId: AppId, endpointId: EndpointId, type: EventType = "ping") {
    yield* getApp(account, appId, "develop")
    const found = yield* (yield* EndpointStore).find(appId, endpointId)
    const endpoint = yield* Effect.mapError(found, () => new NotFound({ what: "endpoint" }))
    const occurredAt = yield* Timestamp.now
    const envelope: Envelope = {
      eventId: EventId.make(yield* Entropy.id("evt")),
      appId,
      payload: SampleEvent.payload(type, occurredAt),
      occurredAt,
      ...(type === "ping" ? { grantId: null } : { grantId: SampleEvent.CONNECTION, isSample: true })
    }
    const { headers, secrets, url } = endpoint
    const sealContext = SigningSecret.sealContext(appId, endpointId)
    const own = ownHeaders(appId, endpointId, headers)
    const outgoing: WebhookPost = { url, secrets, sealContext, headers: own, body: body(envelope, endpointId) }
    const sent = yield* Effect.catchTag(signedPost(outgoing), "VaultError", notSigned)
    const id = DeliveryId.make(yield* Entropy.id("dlv"))
    const { row, attempt } = logged(id, envelope, endpointId, sent)
    yield* (yield* DeliveryStore).recordTest(row, attempt)
    const summary = result(sent.answer)
    return isEnabled(endpoint) ? summary : { ...summary, detail: `${sentence(summary.detail)} ${DISABLED}` }
  }
)

const DISABLED = "The endpoint is disabled: events are not sent there until you enable it."

const sentence = (text: string): string => (text.endsWith(".") ? text : `${text}.`)

type Tried = PostedWebhook | Effect.Effect.Success<ReturnType<typeof notSigned>>

/**
 * The finished delivery of the test, and its attempt. A test that a fault of the service prevented has no attempt
 * (decision W3).
 */
const logged = (id: DeliveryId, envelope: Envelope, endpointId: EndpointId, sent: Tried) => {
  const { answer, endedAt, exchange, startedAt } = sent
  const row = started(id, envelope, endpointId, startedAt)
  return {
    row: Delivery.move(row, endOf(answer, endedAt)),
    attempt: Delivery.attemptOf(row.attempt, answer, startedAt, endedAt, exchange)
  }
}

/**
 * The end of the test's delivery. A test is never retried, neither after a failure nor after a fault of the service:
 * the developer waits for the result.
 */
const endOf = (answer: WebhookAnswer, at: Timestamp.Timestamp): Delivery.DeliveryFinish =>
  Delivery.isSuccess(answer)
    ? { _tag: "Delivered", at }
    : { _tag: "Failed", at, reason: answer._tag === "NotSent" ? "not_sent" : "exhausted" }

const started = (id: DeliveryId, envelope: Envelope, endpointId: EndpointId, at: Timestamp.Timestamp) =>
  Delivery.begin({
    appId: envelope.appId,
    id,
    endpointId,
    endpointEpoch: 0,
    envelope,
    userId: null,
    maxEventAgeS: null,
    replayNo: 0,
    isTest: true,
    createdAt: at,
    originalAt: at
  })

const result = (answer: WebhookAnswer): TestResult => {
  switch (answer._tag) {
    case "Answered":
      return Delivery.isSuccess(answer)
        ? { delivered: true, status: answer.status, detail: `The receiver answered ${answer.status}.` }
        : {
            delivered: false,
            status: answer.status,
            detail: `The receiver answered ${answer.status}; only 2xx counts as delivered.`
          }
    case "Unreachable":
      return { delivered: false, status: null, detail: answer.detail }
    case "NotSent":
      return { delivered: false, status: null, detail: `Not sent, and not the receiver's fault: ${answer.detail}` }
  }
}
