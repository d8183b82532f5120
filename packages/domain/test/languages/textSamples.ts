import { type CurrentPlace, Disclosure, type PlaceAtMoment } from "@place-access/domain/answers"
import { Event } from "@place-access/domain/events"
import * as Quotas from "@place-access/domain/quotas"
import { FileKind } from "@place-access/domain/imports"
import { RuleRequest } from "@place-access/domain/rules"
import { Scope, Timestamp } from "@place-access/domain/shared"
import { VisitWords } from "@place-access/domain/visits"
import { Either } from "effect"
import * as DeliveryDisclosure from "../../src/deliveries/Disclosure.js"
import type { Facts } from "./mailSamples.js"

type Make = (facts: Facts) => ReadonlyArray<string>

const answers: Make = ({ at, name, number }) => {
  const place = { label: name } as CurrentPlace.CurrentPlace["place"]
  const stretch = { from: at, until: Timestamp.plus(at, Timestamp.DAY) }
  const states = ["yes", "no", "unknown"] as const
  const moments = [
    { asOf: null, place: null },
    { asOf: at, place: null },
    { asOf: at, place }
  ] as unknown as ReadonlyArray<PlaceAtMoment.PlaceAtMoment>
  return [
    Disclosure.PAUSED,
    ...(["at_place", "elsewhere", "unknown"] as const).map((state) =>
      Disclosure.ofCurrentPlace({ state, place: state === "at_place" ? place : null } as CurrentPlace.CurrentPlace)
    ),
    ...states.flatMap((state) => [
      Disclosure.ofPresence(name, { state } as never),
      Disclosure.ofZone(name, number, { state } as never)
    ]),
    ...moments.map((one) => Disclosure.ofPlaceAtMoment(at, one)),
    ...[true, false].map(Disclosure.ofLatest),
    Disclosure.ofNearest(at, undefined),
    Disclosure.ofNearest(at, { fix: { capturedAt: at } } as never),
    ...[0, 1, number].flatMap((count) => [
      Disclosure.ofSharedPlaces(count),
      Disclosure.ofRange(count, stretch),
      Disclosure.ofDays(count, stretch)
    ])
  ]
}

const payloads = (label: string): ReadonlyArray<Event.Payload> =>
  [
    ...["place.enter", "place.exit", "place.dwell", "zone.enter", "zone.exit", "zone.dwell"].map((type) => ({
      type,
      ruleId: "rul_1",
      target: { label }
    })),
    { type: "places.changed", placesVersion: 2 }
  ] as unknown as ReadonlyArray<Event.Payload>

const deliveries: Make = ({ at, name }) =>
  payloads(name).flatMap((payload) => {
    const deliveryOf = (attempt: number) =>
      ({
        appId: "app_1",
        userId: "usr_1",
        envelope: { eventId: "evt_1", grantId: "grt_1", payload, occurredAt: at },
        maxEventAgeS: 60,
        attempt,
        replayNo: 0,
        createdAt: at,
        originalAt: at,
        dueAt: at
      }) as never
    const event = { userId: "usr_1", appId: "app_1", connectionId: "grt_1", id: "evt_1", payload, occurredAt: at }
    const entries = [
      DeliveryDisclosure.sent(deliveryOf(1)),
      ...[1, 2].flatMap((attempt) => [
        DeliveryDisclosure.withheld(deliveryOf(attempt))?.entry,
        DeliveryDisclosure.notAllowed(deliveryOf(attempt), at)?.entry
      ]),
      DeliveryDisclosure.toNobody(event as never)
    ]
    return entries.flatMap((entry) => entry?.disclosed ?? [])
  })

const visits: Make = ({ name, number }) =>
  [[], [name], Array.from({ length: number % 100 }, () => name), ...[2, 3, 4, 5, 9].map((count) => labels(name, count))]
    .map((all) => all.map((label) => ({ place: { label } })))
    .map(VisitWords.of)

const labels = (name: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${index} ${name}`)

/**
 * Makes samples of the texts that code puts together from parts, for example those of the access log. The key is the
 * file that makes the texts.
 */
export const TEXTS: Readonly<Record<string, Make>> = {
  "answers/Disclosure.ts": answers,
  "deliveries/Disclosure.ts": deliveries,
  "events/Event.ts": ({ name }) => payloads(name).flatMap((payload) => Event.disclosure(payload) ?? []),
  "visits/VisitWords.ts": visits,
  "imports/FileKind.ts": () =>
    (["jpeg", "html", "program", "text", "other"] as const).map((kind) => FileKind.problem(kind) ?? ""),
  "shared/Scope.ts": () => Object.values(Scope.describe),
  "quotas/AccountLimits.ts": () =>
    Object.values(Quotas.AccountLimits).flatMap((limit) =>
      typeof limit === "object" && "refusal" in limit && limit.refusal !== null ? [limit.refusal] : []
    ),
  "rules/RuleRequest.ts": ({ at }) =>
    ["enter", "dwell", "nothing"].flatMap((type) => {
      const target = { lat: 91, lon: 181, radiusM: 99, label: 5 }
      const checked = RuleRequest.checkZone({ type, ...target, activeFrom: "x", activeUntil: 7 }, at)
      return Either.isLeft(checked) ? checked.left.problems.map(({ message }) => message) : []
    }),
  "consent/AuthorizeRequest.ts": () => [
    "location.lookup is not among the scopes that the app declares",
    "location.lookup needs a purpose that the app may use"
  ],
  "deliveries/redeliver.ts": () => [
    "It is not being attempted any more. It was sent again, as a row of its own",
    "It is not being attempted any more: redeliver it",
    "It is not being attempted any more. The endpoint is disabled: enable it first"
  ]
}
