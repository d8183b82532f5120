import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { ownOrigins, type ServiceOptions } from "@place-access/adapters-http/HttpOptions"
import * as CurrentRequest from "@place-access/adapters-http/edge/CurrentRequest"
import { isLocal } from "@place-access/adapters-http/pages/dev/mailbox"
import { seeOther } from "@place-access/adapters-http/pages/kit/Page"
import * as Routes from "@place-access/adapters-http/pages/kit/Routes"
import * as Errors from "@place-access/adapters-http/wire/Errors"
import { NotFound, Timestamp } from "@place-access/domain/shared"
import { Effect, FiberRef, Option, Schema } from "effect"
import * as Bar from "./bar.js"
import type { Happening } from "./Happening.js"
import { FASTEST, type InThePast, type Mover, type Order } from "./Mover.js"
import * as Span from "./Span.js"
import type { NeverAtRest } from "./World.js"
import type { WorldSnapshots } from "./WorldSnapshots.js"

/**
 * The most happenings in one answer. A caller that needs all happenings of a longer time must move the clock in smaller
 * steps.
 */
const LISTED_MAX = 10_000

type Addresses = Pick<ServiceOptions, "authUrl" | "baseUrl" | "userPortalUrl">

/**
 * Admits only programs and browsers on this machine, and no requests from pages of other sites. The Host header reveals
 * a page of another site whose host name resolves to this machine. The headers Origin and Sec-Fetch-Site reveal a page
 * of another site that posts a form (decision virtual-time-3).
 */
const guarded = (addresses: Addresses) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (!isLocal(request)) return yield* new NotFound({ what: "page" })
    const { host = "", origin, "sec-fetch-site": site } = request.headers
    const isOwn =
      origin === undefined
        ? site === undefined || site === "same-origin" || site === "none"
        : ownOrigins(addresses as ServiceOptions).has(origin) || origin === `http://${host}`
    if (request.method !== "GET" && !isOwn) return yield* Effect.fail(Errors.forbidden(FOREIGN))
    const cell = yield* FiberRef.get(CurrentRequest.ref)
    cell.route = { ...cell.route, reads: READS }
    return request
  })

/** The content types that the routes read: programs send JSON, the buttons of the clock's bar send forms. */
const READS: ReadonlySet<string> = new Set(["application/json", "application/x-www-form-urlencoded"])

const FOREIGN = "The call did not come from a page of this service: its Origin header says so"

const invalid = (...messages: ReadonlyArray<string>) => Effect.fail(Errors.validationFailed(messages))

const isForm = (request: HttpServerRequest.HttpServerRequest): boolean =>
  (request.headers["content-type"] ?? "").startsWith("application/x-www-form-urlencoded")

/** Parses the body of a request: JSON or a form. */
const bodyOf = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.gen(function* () {
    const text = yield* Effect.mapError(request.text, () => Errors.invalidRequest("The request could not be read"))
    const given: unknown = isForm(request)
      ? Object.fromEntries(new URLSearchParams(text))
      : yield* Effect.try({
          try: () => JSON.parse(text === "" ? "{}" : text) as unknown,
          catch: () => Errors.invalidRequest("The body is not JSON")
        })
    return given
  })

/**
 * Makes the decoder of the fields of a request. The decoder refuses unknown fields. Otherwise a misspelt field would do
 * nothing, and the tester would not notice the mistake.
 */
const fieldsOf = <F extends Schema.Struct.Fields>(fields: F, mistyped: string) => {
  const schema = Schema.Struct(fields)
  const names = Object.keys(fields)
  return {
    decode: (
      given: unknown
    ): Effect.Effect<Schema.Schema.Type<typeof schema>, Errors.WireError, Schema.Schema.Context<typeof schema>> =>
      Object.keys(Object(given)).some((name) => !names.includes(name))
        ? invalid(`the body may have only the fields ${names.join(", ")}`)
        : Effect.mapError(Schema.decodeUnknown(schema)(given), () => Errors.validationFailed([mistyped]))
  }
}

export const ClockFields = fieldsOf(
  {
    advance: Schema.optional(Schema.String),
    to: Schema.optional(Schema.String),
    rate: Schema.optional(Schema.Union(Schema.Number, Schema.NumberFromString)),
    return_to: Schema.optional(Schema.String)
  },
  "advance and to must be texts, and rate a number"
)

export const SnapshotFields = fieldsOf(
  { save: Schema.optional(Schema.String), restore: Schema.optional(Schema.String) },
  "save and restore must be texts"
)

/** Reads the order to the clock from the fields of a request. `now` is the time that the clock shows. */
export const orderOf = (
  { advance, rate, to }: Effect.Effect.Success<ReturnType<typeof ClockFields.decode>>,
  now: number
): Effect.Effect<Order, Errors.WireError> => {
  if ([advance, rate, to].filter((one) => one !== undefined).length !== 1) {
    return invalid("the body must have exactly one of advance, to and rate")
  }
  if (advance !== undefined) {
    return Option.match(Span.parse(advance), {
      onNone: () => invalid("advance must be a span of time such as 14d, 23h35m or 90s, and at most 731d"),
      onSome: (millis) =>
        Span.isReachable(now + millis)
          ? Effect.succeed({ _tag: "Advance", millis } as const)
          : invalid("advance must end before the year 9000")
    })
  }
  if (to !== undefined) {
    return Option.match(
      Option.filter(Span.parseMoment(to), (moment) => moment - now <= Span.LONGEST),
      {
        onNone: () => invalid("to must be a moment such as 2026-01-05T09:00:00Z, at most 731 days later"),
        onSome: (moment) =>
          Span.isReachable(moment)
            ? Effect.succeed({ _tag: "To", moment } as const)
            : invalid("to must lie before the year 9000")
      }
    )
  }
  return rate !== undefined && rate >= 0 && rate <= FASTEST
    ? Effect.succeed({ _tag: "Rate", rate })
    : invalid(`rate must be a number from 0, the clock stands still, to ${FASTEST}`)
}

const shown = ({ at, details, what }: Happening) => ({ at: Timestamp.toIso(Timestamp.make(at)), what, ...details })

const toWire = (error: InThePast | NeverAtRest): Errors.WireError =>
  error._tag === "InThePast"
    ? Errors.validationFailed(["to must not lie in the past of the clock"])
    : Errors.unavailable

const json = (body: unknown) => HttpServerResponse.unsafeJson(body, { headers: { "cache-control": "no-store" } })

const read = (mover: Mover, addresses: Addresses) =>
  Effect.map(guarded(addresses), () => json({ ...mover.state, happened: [] }))

const order = (mover: Mover, addresses: Addresses) =>
  Effect.gen(function* () {
    const request = yield* guarded(addresses)
    const fields = yield* ClockFields.decode(yield* bodyOf(request))
    const happened = yield* Effect.mapError(mover.carryOut(yield* orderOf(fields, mover.world.now)), toWire)
    if (isForm(request)) return seeOther(Bar.safePath(fields.return_to))
    return json({
      ...mover.state,
      happened: happened.slice(0, LISTED_MAX).map(shown),
      ...(happened.length > LISTED_MAX ? { left_off: happened.length - LISTED_MAX } : {})
    })
  })

/** The names that a snapshot may have. A snapshot's name is part of the name of a schema in the database. */
const SNAPSHOT_NAME = /^[a-z0-9_]{1,40}$/

const listSnapshots = (snapshots: WorldSnapshots, addresses: Addresses) =>
  Effect.zipRight(
    guarded(addresses),
    Effect.matchEffect(snapshots.list, {
      onFailure: () => Effect.fail(Errors.unavailable),
      onSuccess: (names) => Effect.succeed(json({ snapshots: names }))
    })
  )

const takeSnapshot = (mover: Mover, snapshots: WorldSnapshots, addresses: Addresses) =>
  Effect.gen(function* () {
    const request = yield* guarded(addresses)
    const { restore, save } = yield* SnapshotFields.decode(yield* bodyOf(request))
    const name = save ?? restore ?? ""
    if ((save === undefined) === (restore === undefined)) {
      return yield* invalid("the body must have exactly one of save and restore")
    }
    if (!SNAPSHOT_NAME.test(name)) {
      return yield* invalid(`${save === undefined ? "restore" : "save"} must be 1 to 40 of a to z, 0 to 9 and _`)
    }
    const [outcome, names] = yield* Effect.zip(
      save === undefined ? snapshots.restore(name) : Effect.as(snapshots.save(name), "Saved" as const),
      snapshots.list
    ).pipe(
      Effect.tapError((error) => Effect.logError("A snapshot failed", error)),
      Effect.mapError(() => Errors.unavailable)
    )
    if (outcome === "Unknown") {
      const known = names.length === 0 ? "there is none yet" : `the names are: ${names.join(", ")}`
      return yield* invalid(`restore must name a snapshot; ${known}`)
    }
    if (outcome === "Outdated") {
      return yield* invalid("restore must name a snapshot that was saved after the last migration of the database")
    }
    return json({ ...mover.state, happened: [] })
  })

/** The routes of a test world. They exist only in a server on virtual time. */
export const layer = (mover: Mover, snapshots: WorldSnapshots, addresses: Addresses) =>
  Routes.layer([
    Routes.get("/dev/snapshot", listSnapshots(snapshots, addresses)),
    Routes.post("/dev/snapshot", takeSnapshot(mover, snapshots, addresses)),
    Routes.get("/dev/clock", read(mover, addresses)),
    Routes.post("/dev/clock", order(mover, addresses)),
    Routes.get(Bar.STYLES, Effect.succeed(Bar.stylesheet))
  ])
