import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { wantsVisits } from "@place-access/domain/devices"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { Api } from "../Api.js"
import * as Body from "../edge/Body.js"
import * as Slices from "../edge/Slices.js"
import * as Group from "../Group.js"
import { CallingDevice } from "../security/DeviceAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import { ingest } from "./Ingest.js"
import * as OsmAnd from "./OsmAnd.js"
import * as OsmAndRequest from "./OsmAndRequest.js"
import * as Overland from "./Overland.js"
import * as OwnTracks from "./OwnTracks.js"
import { UNREADABLE } from "./PhoneUpload.js"

// The answers in this file are chosen so that no phone app deletes readings that were not stored (decision devices-7).

type Request = HttpServerRequest.HttpServerRequest

export const layer = Group.group(Api, "phoneApps", (handlers) =>
  handlers
    .handleRaw("overland", ({ request }) => overland(request).pipe(toWire), { uninterruptible: true })
    .handleRaw("owntracks", ({ request }) => ownTracks(request).pipe(toWire), { uninterruptible: true })
    .handleRaw(
      "osmandQuery",
      // The router also uses the route of GET for HEAD. A HEAD request must change nothing (RFC 9110 §9.2.1), so it
      // stores no reading.
      ({ request }) => (request.method === "HEAD" ? Effect.succeed(TAKEN) : osmAnd(request).pipe(toWire)),
      { uninterruptible: true }
    )
    .handleRaw("osmand", ({ request }) => osmAnd(request).pipe(toWire), { uninterruptible: true })
)

/** The body as JSON; undefined when the body is not JSON. */
const json = (request: Request): Effect.Effect<unknown> => Effect.flatMap(Effect.orDie(request.text), Body.lenientJson)

const OK = { result: "ok" }
/**
 * The answer to an unreadable body, with status 200: Overland shows the text of an answer only when the status is 200.
 * The app keeps the batch, because the answer does not have the result "ok".
 */
const NO_BATCH = { error: "This is not a batch of Overland: locations must be an array" }

const overland = (request: Request) =>
  Effect.gen(function* () {
    const device = yield* CallingDevice
    const features = Overland.features(yield* json(request))
    if (features === undefined) return HttpServerResponse.unsafeJson(NO_BATCH)
    const { readings, visits } = Overland.upload(yield* Slices.mapped(features, Overland.decode, Effect.succeed))
    yield* ingest(device, readings, visits)
    return HttpServerResponse.unsafeJson(
      (yield* wantsVisits(device)) ? { ...OK, set: { main: { visit_tracking: true } } } : OK
    )
  })

const ownTracks = (request: Request) =>
  Effect.gen(function* () {
    // A body that the service cannot read counts as one unreadable reading, and the answer is 200 (for other apps: 413,
    // 415 or 400). After a 4xx answer OwnTracks would delete its oldest reading on an iPhone. On Android it would send
    // the refused message again without end, and no other message.
    const readings = yield* Effect.flatMap(json(request), (body) =>
      Slices.mapped(OwnTracks.messages(body), OwnTracks.decode, Effect.succeed)
    ).pipe(
      Effect.catchSomeDefect((defect) =>
        Body.isHopeless(defect) ? Option.some(Effect.succeed([[UNREADABLE]])) : Option.none()
      )
    )
    // When the owner removes the phone during the upload, the answer is 503, like the answer to a wrong password. After
    // a 4xx OwnTracks would delete readings.
    yield* Effect.mapError(ingest(yield* CallingDevice, readings.flat(), []), (error) =>
      "_tag" in error ? error : Errors.keptByThePhone(error)
    )
    return HttpServerResponse.unsafeJson([])
  })

const osmAnd = (request: Request) =>
  Effect.gen(function* () {
    const sent = yield* OsmAndRequest.read(request)
    const decode = OsmAnd.decode(sent.query, yield* Timestamp.now)
    const readings = yield* Slices.mapped(OsmAnd.entries(sent), decode, Effect.succeed)
    yield* ingest(yield* CallingDevice, readings.flat(), [])
    return TAKEN
  })

/** The answer to an accepted upload. */
const TAKEN = HttpServerResponse.empty({ status: 200 })
