import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import * as Delivery from "../deliveries/Delivery.js"
import { DeliveryStore } from "../deliveries/DeliveryStore.js"
import { type Outgoing, type Sent, signedPost } from "../deliveries/signedPost.js"
import { body, type Envelope } from "../events/Event.js"
import * as Entropy from "../shared/Entropy.js"
import { type AppId, DeliveryId, type EndpointId, EventId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import * as Timestamp from "../shared/Timestamp.js"
import { EndpointStore } from "./EndpointStore.js"
import * as SigningSecret from "./SigningSecret.js"
import { isEnabled } from "./WebhookEndpoint.js"

export interface TestResult {
  readonly delivered: boolean
  /** Null when there was no answer. */
  readonly status: number | null
  /** What happened, for the developer to read. */
  readonly detail: string
}

/**
 * Sends a signed ping now, once, and says what came of it (Spec §4.7). A disabled endpoint is tested too: that is how one finds
 * out whether to enable it, and the answer says that it is disabled (decision M10). Logged as a test; never counts (decision W6).
 * `NotFound` for what is not the account's.
 */
export const sendTest = Effect.fn("sendTest")(function* (account: Account, appId: AppId, endpointId: EndpointId) {
  yield* getOwnedApp(account, appId)
  const found = yield* (yield* EndpointStore).find(appId, endpointId)
  const endpoint = yield* Effect.mapError(found, () => new NotFound({ what: "endpoint" }))
  const envelope: Envelope = {
    eventId: EventId.make(yield* Entropy.id("evt")),
    appId,
    grantId: null,
    payload: { type: "ping" },
    occurredAt: yield* Timestamp.now
  }
  const { url, secrets } = endpoint
  const sealContext = SigningSecret.sealContext(appId, endpointId)
  const outgoing: Outgoing = { url, secrets, sealContext, body: body(envelope, endpointId) }
  const sent = yield* signedPost(outgoing)
  const id = DeliveryId.make(yield* Entropy.id("dlv"))
  const { row, attempt } = logged(id, envelope, endpointId, sent)
  yield* (yield* DeliveryStore).recordTest(row, attempt)
  const said = result(sent.answer)
  return isEnabled(endpoint) ? said : { ...said, detail: `${sentence(said.detail)} ${DISABLED}` }
})

const DISABLED = "The endpoint is disabled: events are not sent there until you enable it."

const sentence = (text: string): string => (text.endsWith(".") ? text : `${text}.`)

/** The finished row; a test that could not be sent is logged too, with the reason. */
const logged = (id: DeliveryId, envelope: Envelope, endpointId: EndpointId, sent: Sent) => {
  const { answer, startedAt, endedAt } = sent
  const row = started(id, envelope, endpointId, startedAt)
  const attempt = Delivery.attemptOf(1, answer, startedAt, endedAt) ?? {
    attempt: 1,
    startedAt,
    endedAt,
    status: null,
    error: answer._tag === "NotSent" ? answer.detail : null,
    snippet: null
  }
  const end: Delivery.Finish = Delivery.isSuccess(answer)
    ? { _tag: "Delivered", at: endedAt }
    : { _tag: "Failed", at: endedAt, reason: "exhausted" }
  return { row: Delivery.move(row, end), attempt }
}

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

const result = (answer: Delivery.Answer): TestResult => {
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
