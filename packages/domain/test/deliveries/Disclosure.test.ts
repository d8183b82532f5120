import { Delivery } from "@place-access/domain/deliveries"
import type { Event } from "@place-access/domain/events"
import {
  AppId,
  ConnectionId,
  DeliveryId,
  EndpointId,
  EventId,
  PlaceId,
  RuleId,
  Timestamp,
  UserId
} from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import * as Disclosure from "../../src/deliveries/Disclosure.js"

const T0 = Timestamp.make(Date.UTC(2026, 0, 15, 12))
const { MINUTE, SECOND } = Timestamp
const at = (millis: number) => Timestamp.plus(T0, millis)

const FIRED: Event.Payload = {
  type: "place.enter",
  ruleId: RuleId.make("rul_1"),
  target: { placeId: PlaceId.make("plc_1"), label: "Home" }
}

interface Changes {
  readonly payload?: Event.Payload
  readonly userId?: UserId | null
  readonly grantId?: ConnectionId | null
  readonly maxEventAgeS?: number | null
  readonly attempt?: number
  readonly replayNo?: number
  readonly createdAt?: Timestamp.Timestamp
  readonly dueAt?: Timestamp.Timestamp
}

const USER = UserId.make("usr_1")
const CONNECTION = ConnectionId.make("con_1")

/** A delivery whose row was stored a second after its event occurred; a replay may have been stored later. */
const delivery = ({
  attempt,
  createdAt = at(SECOND),
  dueAt,
  grantId = CONNECTION,
  maxEventAgeS = null,
  payload = FIRED,
  replayNo = 0,
  userId = USER
}: Changes = {}) => {
  const envelope = { eventId: EventId.make("evt_1"), grantId, occurredAt: T0, payload } as Event.Envelope
  const row = Delivery.begin({
    appId: AppId.make("app_1"),
    id: DeliveryId.make("dlv_1"),
    endpointId: EndpointId.make("end_1"),
    endpointEpoch: 0,
    envelope,
    userId,
    maxEventAgeS,
    replayNo,
    isTest: false,
    createdAt,
    originalAt: at(SECOND)
  })
  return { ...row, attempt: attempt ?? row.attempt, dueAt: dueAt ?? row.dueAt }
}

const SENT = { id: "log_evt_1_sent", at: at(SECOND) }
const NOT_ALLOWED = { id: "log_evt_1_not_allowed", at: at(SECOND) }

describe("the entry of the user's access log about an event [access-log-4, deliveries-12]", () => {
  it("that is sent: once, with status 200 and the time of the first delivery", () => {
    expect(Disclosure.sent(delivery())).toEqual({
      ...SENT,
      userId: "usr_1",
      connectionId: "con_1",
      appId: "app_1",
      endpoint: "webhook place.enter",
      purpose: null,
      status: 200,
      error: null,
      disclosed: "arrived at Home",
      times: 1
    })
    expect(Disclosure.sent(delivery({ replayNo: 1, createdAt: at(MINUTE) }))).toEqual(Disclosure.sent(delivery()))
  })

  it.each([
    ["a second attempt adds nothing", { attempt: 2 }],
    ["an event about nobody has no log", { userId: null }],
    ["nor has one without a connection", { grantId: null }],
    ["the end of a tier discloses nothing", { payload: { type: "sensitive.removed", scopes: [] } }]
  ] as const)("%s", (_, changes) => {
    expect(Disclosure.sent(delivery(changes))).toBeUndefined()
  })

  it("that became too old: 410 at the moment when it did, unless the event has an entry already", () => {
    const { entry, unless } = Disclosure.withheld(delivery({ maxEventAgeS: 60 }))!
    expect(entry).toMatchObject({ id: "log_evt_1_withheld", at: at(MINUTE), status: 410, error: "too_old" })
    expect(entry.disclosed).toBe("nothing: “arrived at Home” came too late")
    expect(unless).toEqual([SENT, NOT_ALLOWED])
  })

  it("that was too old before its delivery was made: at the time of the delivery", () => {
    expect(Disclosure.withheld(delivery({ maxEventAgeS: 0 }))?.entry.at).toBe(at(SECOND))
  })

  it("that became too old between two attempts: an entry of its own, whatever else there is", () => {
    const { entry, unless } = Disclosure.withheld(delivery({ maxEventAgeS: 60, attempt: 2 }))!
    expect(entry).toMatchObject({ id: "log_evt_1_withheld_again", at: at(MINUTE), status: 410, error: "too_old" })
    expect(entry.disclosed).toBe("nothing more: “arrived at Home” came too late to be sent again")
    expect(unless).toEqual([])
  })

  it("of a retried replay, too, which may have been sent", () => {
    expect(Disclosure.withheld(delivery({ maxEventAgeS: 60, attempt: 2, replayNo: 1 }))?.entry.status).toBe(410)
  })

  it.each([
    ["a rule without a limit of age never withholds", { maxEventAgeS: null }],
    ["a replay that was never sent: the original's entry stands", { maxEventAgeS: 60, replayNo: 1 }],
    ["nobody is concerned", { maxEventAgeS: 60, userId: null }]
  ] as const)("that is not withheld, or not in the log: %s", (_, changes) => {
    expect(Disclosure.withheld(delivery(changes))).toBeUndefined()
  })

  it("that was not allowed: 403 at the time of the delivery, unless the event has an entry already", () => {
    const { entry, unless } = Disclosure.notAllowed(delivery({ maxEventAgeS: 60 }), at(MINUTE))!
    expect(entry).toMatchObject({ ...NOT_ALLOWED, status: 403, error: "not_authorised" })
    expect(entry.disclosed).toBe("nothing: “arrived at Home” was not sent")
    expect(unless).toEqual([SENT, { id: "log_evt_1_withheld", at: at(MINUTE) }])
    expect(Disclosure.notAllowed(delivery(), at(MINUTE))?.unless).toEqual([SENT])
  })

  it("that was no longer allowed at a retry: at the retry's due time, or now if that is earlier", () => {
    const late = Disclosure.notAllowed(delivery({ attempt: 2, dueAt: at(MINUTE) }), at(2 * MINUTE))!
    expect(late.entry).toMatchObject({ id: "log_evt_1_not_allowed_again", at: at(MINUTE), status: 403 })
    expect(late.entry.disclosed).toBe("nothing more: “arrived at Home” was not sent again")
    expect(late.unless).toEqual([])
    const hurried = Disclosure.notAllowed(delivery({ attempt: 2, dueAt: at(3 * MINUTE) }), at(2 * MINUTE))
    expect(hurried?.entry.at).toBe(at(2 * MINUTE))
  })

  it("of a retried replay, too: the retry may be of a replay that was sent", () => {
    expect(Disclosure.notAllowed(delivery({ attempt: 2, replayNo: 1 }), at(MINUTE))).toBeDefined()
    expect(Disclosure.notAllowed(delivery({ replayNo: 1 }), at(MINUTE))).toBeUndefined()
  })

  it("none when an event that no rule fired was not allowed", () => {
    const payload = { type: "places.changed", placesVersion: 2 } as const
    expect(Disclosure.notAllowed(delivery({ payload }), at(MINUTE))).toBeUndefined()
    expect(Disclosure.notAllowed(delivery({ userId: null }), at(MINUTE))).toBeUndefined()
  })

  it("of a firing that nobody received: 404 at the time of the event; other events have none", () => {
    const event = {
      userId: USER,
      appId: AppId.make("app_1"),
      connectionId: CONNECTION,
      id: EventId.make("evt_1"),
      occurredAt: T0
    }
    expect(Disclosure.toNobody({ ...event, payload: FIRED })).toMatchObject({
      id: "log_evt_1_to_nobody",
      at: T0,
      status: 404,
      error: "no_endpoint",
      disclosed: "nothing: “arrived at Home” was sent to nobody"
    })
    expect(Disclosure.toNobody({ ...event, payload: { type: "places.changed", placesVersion: 2 } })).toBeUndefined()
  })
})
