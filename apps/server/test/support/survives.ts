import { Schema } from "effect"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { travel } from "../../../../packages/domain/test/support/geodesic.js"
import { referenceFirings } from "../../../../packages/domain/test/support/referenceRules.js"
import { client } from "./client.js"
import { connect } from "./consent.js"
import {
  addDevice,
  createApp,
  createEndpoint,
  createPlace,
  createRule,
  type Place,
  RULES_SCOPE,
  signUp
} from "./people.js"
import { countRows } from "./inspect.js"
import { type Reading, reading, tryUpload, type Uploaded } from "./phone.js"
import { useProcesses } from "./processes.js"
import { type Received, type Receiver, startReceiver } from "./receiver.js"
import { type Service, type Setup, startService } from "./service.js"

const SECOND = 1_000
const PHONES = 4
const UPLOADS = 30
const FIXES_PER_UPLOAD = 3

interface Phone {
  readonly token: string
  readonly place: Place
  readonly uploads: ReadonlyArray<ReadonlyArray<Reading>>
}

type Counts = typeof Uploaded.Type

/**
 * Uploads of a phone that enters and leaves the place for almost five minutes from now on, with a reading every 3 to 4
 * s. All readings are later than the rules and fresh when they arrive, so rules may fire. No reading is more than five
 * minutes ahead of the service's clock, so the service accepts all of them.
 */
const log = (place: Place): Phone["uploads"] => {
  const start = Date.now()
  return Array.from({ length: UPLOADS }, (_, index) =>
    Array.from({ length: FIXES_PER_UPLOAD }, (_, part) => {
      const at = index * FIXES_PER_UPLOAD + part
      const isInside = Math.floor((at * 3.25) / 30) % 2 === 1
      return reading(start + Math.round(at * 3.25 * SECOND), isInside ? place : travel(place, at, 900), 5 + part)
    })
  )
}

const Event = Schema.parseJson(
  Schema.Struct({ event_id: Schema.String, rule_id: Schema.String, occurred_at: Schema.String })
)
const firingOf = ({ body }: Received): string => {
  const { occurred_at, rule_id } = Schema.decodeUnknownSync(Event)(body.toString("utf8"))
  return `${rule_id} ${occurred_at}`
}

export interface Trouble {
  /** Called when the suite begins. */
  readonly setup: () => Setup
  /** How many times `disturb` is called, at random moments, while phones upload. */
  readonly times: number
  /** Disturbs the service, for example kills a part of it. Starts the part again, unless it restarts by itself. */
  readonly disturb: (service: Service) => Promise<unknown>
  /** Whether the disturbance loses no answer. Then no phone has to repeat an upload. */
  readonly isGentle?: boolean
}

/**
 * Declares tests in which phones send one upload after the other and repeat each until it is answered, while `disturb`
 * disturbs the service. An answer guarantees that the readings that it counts are stored. An upload without an
 * answer is stored as a whole or not at all.
 */
export const survives = ({ disturb, isGentle = false, setup, times }: Trouble): void => {
  const processes = useProcesses()
  let service: Service
  let receiver: Receiver

  beforeAll(async () => {
    ;[service, receiver] = await Promise.all([startService(processes, setup()), startReceiver()])
  })
  afterAll(async () => {
    await receiver?.close()
    await service?.close()
  })

  it("again and again: no acknowledged fix is lost, no upload is halved, no event is missing", async () => {
    const api = client(service.url)
    const person = await signUp(service.url, "crash")
    const expectedFirings: Array<string> = []
    const phones = await Promise.all(
      Array.from({ length: PHONES }, async (_, number): Promise<Phone> => {
        // Every phone has a different owner. A rule evaluates all fixes of its user in one order, so two phones of one
        // user would disturb each other.
        const owner = number === 0 ? person : await signUp(service.url, `crash${number}`)
        const app = await createApp(owner, "http://127.0.0.1:9/callback")
        await createEndpoint(owner, app, receiver.url)
        const place = await createPlace(owner, { label: "Home", lat: 50 + number, lon: 4.9, radiusM: 150 })
        const { access_token } = await connect(owner, app, [RULES_SCOPE], { places: [place.id] })
        const rules = []
        for (const type of ["enter", "exit"] as const) {
          rules.push({ id: await createRule(api, access_token, place, type), type })
        }
        const uploads = log(place)
        const fixes = uploads.flat().map((fix) => ({
          capturedAt: Date.parse(fix.captured_at),
          receivedAt: Date.parse(fix.captured_at),
          lat: fix.lat,
          lon: fix.lon,
          accuracy: fix.accuracy_m ?? null
        }))
        for (const { id, type } of rules) {
          for (const at of referenceFirings(fixes, place, { type })) {
            expectedFirings.push(`${id} ${new Date(at).toISOString()}`)
          }
        }
        return { token: await addDevice(owner), place, uploads }
      })
    )
    expect(expectedFirings.length).toBeGreaterThan(PHONES * 4)

    const progress = { answered: 0, repeated: 0, isOver: false }
    const halved: Array<Counts> = []
    const send = async (phone: Phone): Promise<void> => {
      for (const locations of phone.uploads) {
        for (let isRepeat = false; ; isRepeat = true) {
          const counts = await tryUpload(api, phone.token, locations)
          if (counts !== undefined) {
            progress.answered += 1
            const whole = counts.accepted === locations.length || counts.duplicates === locations.length
            if (!whole || counts.accepted + counts.duplicates !== locations.length) halved.push(counts)
            if (isRepeat) progress.repeated += 1
            break
          }
          await pause(20)
        }
      }
    }
    const killer = async (): Promise<void> => {
      // Disturbs the service at random moments, spread over the uploads.
      const moments = Array.from({ length: times }, (_, index) =>
        Math.floor(((index + Math.random()) / times) * PHONES * UPLOADS * 0.95)
      )
      for (const moment of moments) {
        while (!progress.isOver && progress.answered < moment) await pause(1)
        await pause(Math.random() * 5)
        await disturb(service)
      }
    }
    const killing = killer()
    await Promise.all(phones.map(send)).finally(() => (progress.isOver = true))
    await killing

    expect(halved).toEqual([])
    expect(progress.repeated > 0).toBe(!isGentle)
    // Sends every upload once more. Every upload was acknowledged, so all of its readings must now be duplicates.
    for (const phone of phones) {
      const locations = phone.uploads.flat()
      expect(await tryUpload(api, phone.token, locations)).toEqual({
        accepted: 0,
        duplicates: locations.length,
        quarantined: 0
      })
    }
    const received = await receiver.until(
      `${expectedFirings.length} events`,
      (all) => new Set(all.map(firingOf)).size >= expectedFirings.length,
      120 * SECOND
    )
    expect(Array.from(new Set(received.map(firingOf))).sort()).toEqual([...expectedFirings].sort())
    expect(await countRows(service, "fixes")).toBe(PHONES * UPLOADS * FIXES_PER_UPLOAD)
  }, 300_000)
}
