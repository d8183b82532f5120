import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { wantsVisits } from "@place-access/domain/devices"
import { ingestFixes } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { Api } from "../Api.js"
import * as Body from "../edge/Body.js"
import * as Group from "../edge/Group.js"
import { CallingDevice } from "../security/DeviceAuth.js"
import { toWire } from "../wire/toWire.js"
import * as OsmAnd from "./OsmAnd.js"
import * as OsmAndRequest from "./OsmAndRequest.js"
import * as Overland from "./Overland.js"
import * as OwnTracks from "./OwnTracks.js"
import { parseJson, UNREADABLE } from "./PhoneUpload.js"

type Request = HttpServerRequest.HttpServerRequest

export const layer = Group.group(Api, "phoneApps", (handlers) =>
  handlers
    .handleRaw("overland", ({ request }) => overland(request).pipe(toWire), { uninterruptible: true })
    .handleRaw("owntracks", ({ request }) => ownTracks(request).pipe(toWire), { uninterruptible: true })
    .handleRaw("osmandQuery", ({ request }) => osmAnd(request).pipe(toWire), { uninterruptible: true })
    .handleRaw("osmand", ({ request }) => osmAnd(request).pipe(toWire), { uninterruptible: true })
)

const OK = { result: "ok" }
/** The app shows words of ours only with 200, and keeps the batch as long as the result is not "ok". */
const NO_BATCH = { error: "This is no batch of Overland: locations must be an array" }

const overland = (request: Request) =>
  Effect.gen(function* () {
    const device = yield* CallingDevice
    const upload = Overland.decode(parseJson(yield* Effect.orDie(request.text)))
    if (upload === undefined) return HttpServerResponse.unsafeJson(NO_BATCH)
    yield* ingestFixes(device, upload.readings, upload.visits)
    return HttpServerResponse.unsafeJson(
      (yield* wantsVisits(device)) ? { ...OK, set: { main: { visit_tracking: true } } } : OK
    )
  })

const ownTracks = (request: Request) =>
  Effect.gen(function* () {
    // Over 413, 415 or 400 the app would throw its oldest reading away, and on Android try for ever.
    const readings = yield* Effect.map(Effect.orDie(request.text), (text) => OwnTracks.decode(parseJson(text))).pipe(
      Effect.catchSomeDefect((defect) =>
        Body.isHopeless(defect) ? Option.some(Effect.succeed([UNREADABLE])) : Option.none()
      )
    )
    yield* ingestFixes(yield* CallingDevice, readings, [])
    return HttpServerResponse.unsafeJson([])
  })

const osmAnd = (request: Request) =>
  Effect.gen(function* () {
    const readings = OsmAnd.decode(yield* OsmAndRequest.read(request), yield* Timestamp.now)
    yield* ingestFixes(yield* CallingDevice, readings, [])
    return HttpServerResponse.empty({ status: 200 })
  })
