import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ReferenceFix, referenceFirings } from "../../../packages/domain/test/support/referenceRules.js"
import { haveTraces, type RecordedFix, traces, TRACES_NEEDED } from "../../../packages/domain/test/support/traces.js"
import { client } from "./support/client.js"
import { connect } from "./support/consent.js"
import { type InProcess, startInProcess } from "./support/inProcess.js"
import { addDevice, createApp, createEndpoint, createPlace, createRule, RULES_SCOPE, signUp } from "./support/people.js"
import { type Reading, upload } from "./support/phone.js"
import { type Received, type Receiver, startReceiver, verifyWithStripe } from "./support/receiver.js"
import { findRestless, findStays } from "./support/stays.js"

/**
 * Replays the days of recorded phones through the HTTP server. The deliveries must be equal to the deliveries that
 * a second, simple implementation of Spec §4.6 computes from the same readings.
 */

const MINUTE = 60_000
const RULES = [{ type: "enter" }, { type: "exit" }, { type: "dwell", dwell_minutes: 5 }] as const

/** One upload of the phone: its readings, and the time at which the phone sends them. */
interface Upload {
  readonly sentAt: number
  readonly fixes: ReadonlyArray<RecordedFix>
}

const inBatches = (fixes: ReadonlyArray<RecordedFix>, everyMinutes: number): ReadonlyArray<Upload> => {
  const batches: Array<Array<RecordedFix>> = []
  for (const fix of [...fixes].sort((a, b) => a.receivedAt - b.receivedAt)) {
    const batch = batches.at(-1)
    const first = batch?.[0]
    if (batch !== undefined && first !== undefined && fix.receivedAt - first.receivedAt < everyMinutes * MINUTE) {
      batch.push(fix)
    } else batches.push([fix])
  }
  return batches.map((batch) => ({ sentAt: batch.at(-1)?.receivedAt ?? 0, fixes: batch }))
}

/** Changes the order of every two uploads: the second is sent first, and the first a second later. */
const newestFirst = (uploads: ReadonlyArray<Upload>): ReadonlyArray<Upload> =>
  uploads.flatMap((upload, index) => {
    const next = uploads[index + 1]
    if (index % 2 === 1) return []
    return next === undefined ? [upload] : [next, { ...upload, sentAt: next.sentAt + 1_000 }]
  })

/** The ways in which phones send their stored readings. */
const HABITS: ReadonlyArray<(fixes: ReadonlyArray<RecordedFix>) => ReadonlyArray<Upload>> = [
  /** A phone that is always online: each upload has the readings of a minute. */
  (fixes) => inBatches(fixes, 1),
  /** A phone that is rarely online: each upload has the readings of 45 minutes, and most of them are stale. */
  (fixes) => inBatches(fixes, 45),
  /** A phone that is often offline and then sends its newest upload first. */
  (fixes) => newestFirst(inBatches(fixes, 6))
]

/**
 * The place where the phone stayed longest, another place where it stayed, and a place that it entered and left often.
 */
const spots = (fixes: ReadonlyArray<RecordedFix>) => {
  const [longest, other] = findStays(fixes, 2)
  const restless = findRestless(fixes)
  return {
    ...(longest && { longest: { lat: longest.lat, lon: longest.lon, radiusM: 200 } }),
    ...(other && { other: { lat: other.lat, lon: other.lon, radiusM: 350 } }),
    // This circle is the smallest that a rule may have. A phone is clearly inside it within 50 m of its center, and
    // clearly outside it beyond 150 m.
    ...(restless && { restless: { lat: restless.lat, lon: restless.lon, radiusM: 100 } })
  }
}

const toReading = (fix: RecordedFix): Reading => ({
  captured_at: new Date(fix.capturedAt).toISOString(),
  lat: fix.lat,
  lon: fix.lon,
  accuracy_m: fix.accuracy,
  speed_mps: fix.speedMps,
  course_deg: fix.courseDeg,
  altitude_m: fix.altitudeM
})

/**
 * Whether the service believes the time of a reading (decision L3): the time is at most five minutes after the time at
 * which the phone sent the reading.
 */
const isBelieved = ({ capturedAt }: RecordedFix, sentAt: number): boolean => capturedAt - sentAt <= 5 * MINUTE

const Event = Schema.parseJson(
  Schema.Struct({ type: Schema.String, rule_id: Schema.String, occurred_at: Schema.String })
)
const inWords = ({ body }: Received): string => {
  const { occurred_at, rule_id, type } = Schema.decodeUnknownSync(Event)(body.toString("utf8"))
  return `${occurred_at} ${type} ${rule_id}`
}

const compared = { logs: 0, fixes: 0, uploads: 0, stale: 0, events: 0 }

const logs = haveTraces ? traces() : []

describe.skipIf(!haveTraces)(`recorded phone logs, replayed over HTTP${TRACES_NEEDED}`, () => {
  let receiver: Receiver
  let service: InProcess
  // One service for all logs. Each log has its own people, so no log changes the results of another.
  beforeAll(async () => {
    ;[receiver, service] = await Promise.all([startReceiver(), startInProcess(0)])
  })
  afterAll(async () => {
    await receiver?.close()
    await service?.close()
    process.stdout.write(
      `\nreplay: ${compared.logs} logs of ${compared.fixes} fixes in ${compared.uploads} uploads, ` +
        `${compared.stale} of the fixes stale on arrival; ${compared.events} events, each as expected\n`
    )
  })

  const replay = async (
    fixes: ReadonlyArray<RecordedFix>,
    circles: ReturnType<typeof spots>,
    uploads: ReadonlyArray<Upload>
  ): Promise<void> => {
    // The rules must be older than every reading, because a reading does not fire a rule that is newer (decision M5).
    service.clock.set(Math.min(...fixes.map(({ capturedAt }) => capturedAt)) - MINUTE)
    const person = await signUp(service.url, "replay")
    const app = await createApp(person, "http://127.0.0.1:9/callback")
    const endpoint = await createEndpoint(person, app, receiver.url)
    const places = []
    for (const [label, spot] of Object.entries(circles)) {
      places.push(await createPlace(person, { label, ...spot }))
    }
    const tokens = await connect(person, app, [RULES_SCOPE], {
      places: places.map(({ id }) => id),
      standardDays: "never"
    })
    const phone = client(service.url)
    const rules = []
    for (const place of places) {
      for (const { type, ...more } of RULES) {
        rules.push({ id: await createRule(phone, tokens.access_token, place, type, more), place, type })
      }
    }
    const deviceToken = await addDevice(person)

    const before = receiver.received.length
    const seen: Array<ReferenceFix> = []
    for (const [index, { fixes, sentAt }] of uploads.entries()) {
      service.clock.set(sentAt)
      const counts = await upload(phone, deviceToken, fixes.map(toReading))
      expect(counts.accepted + counts.duplicates + counts.quarantined).toBe(fixes.length)
      const believed = fixes.filter((fix) => isBelieved(fix, sentAt))
      expect(counts.quarantined).toBe(fixes.length - believed.length)
      seen.push(...believed.map((fix) => ({ ...fix, receivedAt: sentAt })))
      // Simulates a lost answer, after which the phone sends the same upload again.
      if (index % 5 === 0) {
        const again = await upload(phone, deviceToken, fixes.map(toReading))
        expect(again).toEqual({ ...counts, accepted: 0, duplicates: counts.accepted + counts.duplicates })
      }
      const known = receiver.received.length
      await service.work()
      for (const one of receiver.received.slice(known))
        verifyWithStripe({ ...one, receivedAt: sentAt }, endpoint.secret)
    }

    const delivered = receiver.received.slice(before)
    const expected = rules.flatMap(({ id, place, type }) =>
      referenceFirings(seen, place, { type, dwellMinutes: type === "dwell" ? 5 : null }).map(
        (at) => `${new Date(at).toISOString()} place.${type} ${id}`
      )
    )
    expect(delivered.map(inWords).sort()).toEqual(expected.sort())
    compared.uploads += uploads.length
    compared.stale += seen.filter((fix) => fix.receivedAt - fix.capturedAt > 15 * MINUTE).length
    compared.events += expected.length
  }

  it.each(logs)(
    "$name: fires what it should, prompt, late or newest first",
    async ({ fixes }) => {
      const before = service.log.length
      const circles = spots(fixes)
      for (const habit of HABITS) await replay(fixes, circles, habit(fixes))
      compared.logs += 1
      compared.fixes += fixes.length
      expect(service.log.slice(before).filter((line) => /^(?:WARN|ERROR|FATAL)/.test(line))).toEqual([])
    },
    300_000
  )

  it("compared something of every log", () => {
    expect(compared.logs).toBe(logs.length)
    expect(compared.events).toBeGreaterThan(logs.length)
    expect(compared.stale).toBeGreaterThan(0)
  })
})
