import { existsSync, readFileSync } from "node:fs"
import { DEFAULT_TOLERANCE_S, MAX_SIGNATURES } from "@place-access/adapters-webhook/verify"
import { Delivery, RetrySchedule, Signature } from "@place-access/domain/deliveries"
import { SigningSecret, WebhookEndpoint } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import { AppId, ConnectionId, EndpointId, EventId, PlaceId, RuleId, Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "vitest"

const PATH = new URL("../../../docs/receiving-webhooks.md", import.meta.url)
const guide = readFileSync(PATH, "utf8").replaceAll(/\s+/g, " ")
const { HOUR, MINUTE, SECOND } = Timestamp

/** A duration in the words of the guide, such as "23 h 35 min 30 s" for 84,930 s. */
const words = (millis: number): string =>
  [
    [Math.floor(millis / HOUR), "h"],
    [Math.floor((millis % HOUR) / MINUTE), "min"],
    [(millis % MINUTE) / SECOND, "s"]
  ]
    .filter(([count]) => count !== 0)
    .flat()
    .join(" ")

const NUMBERS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
const word = (count: number): string => NUMBERS[count] ?? (count === 20 ? "twenty" : String(count))

describe("docs/receiving-webhooks.md", () => {
  it("tells the schedule, the deadline and the count as the domain has them", () => {
    const waits = RetrySchedule.WAITS.map(words)
    const total = words(RetrySchedule.WAITS.reduce((sum, wait) => sum + wait, 0))
    expect(guide).toContain(`${waits.slice(0, -1).join(", ")} and ${waits.at(-1)} after the attempt before`)
    expect(guide).toContain(`${word(RetrySchedule.MAX_ATTEMPTS)} attempts within ${total}`)
    expect(guide).toContain(`Answer within ${Delivery.ANSWER_DEADLINE / SECOND} seconds`)
    const [first = 0, second = 0] = WebhookEndpoint.WARNED_STRIKES
    expect(second).toBe(WebhookEndpoint.MAX_STRIKES)
    expect(guide.toLowerCase()).toContain(
      `${word(first)} such events in a row bring you an e-mail; ${word(second)} disable`
    )
  })

  it("tells the bounds of verifying and of a rotation", () => {
    expect(guide).toContain(`within ${DEFAULT_TOLERANCE_S} s, before or after`)
    expect(guide).toContain(`has more than ${MAX_SIGNATURES} signatures`)
    expect(guide).toContain(`For ${SigningSecret.OVERLAP / HOUR} hours after the rotation, deliveries carry`)
    expect(guide).toContain(`${Signature.HEADER}: t=1768478400,v1=`)
    expect(guide).toContain(SigningSecret.PREFIX)
  })

  it("shows a body as it is sent", () => {
    const id = <A>(made: (text: string) => A, prefix: string) => made(`${prefix}_1`)
    const body = Event.body(
      {
        eventId: id(EventId.make, "evt"),
        appId: id(AppId.make, "app"),
        grantId: id(ConnectionId.make, "con"),
        payload: {
          type: "place.enter",
          ruleId: id(RuleId.make, "rul"),
          target: { placeId: id(PlaceId.make, "plc"), label: "Home" }
        },
        occurredAt: Timestamp.make(Date.parse("2026-01-15T11:59:58.250Z"))
      },
      id(EndpointId.make, "ep")
    )
    expect(guide).toContain(body.replaceAll("_1", "_…"))
  })

  it("leads to files that exist", () => {
    const paths = [...guide.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => path)
    expect(paths.filter((path) => !existsSync(new URL(path, PATH)))).toEqual([])
    expect(paths.length).toBeGreaterThan(3)
  })
})
