import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Fix } from "@place-access/domain/fixes"
import type { RuleEvaluation } from "@place-access/domain/rules"
import { AppId, ConnectionId, DeviceId, PlaceId, RuleId, Timestamp, UserId } from "@place-access/domain/shared"
import { fixStoreContract, FixSubjects, MemoryEntropy } from "@place-access/domain/testing"
import { Effect, Layer, TestClock, TestContext } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { engine, firings, layerFiles, type OwnRule, read } from "./rulesEngine.js"

const ANA = UserId.make("usr_ana")
const PHONE = { userId: ANA, id: DeviceId.make("dev_phone") }
const HOME = { lat: 52.1, lon: 5.1, radiusM: 150 }
const BEGIN = Timestamp.make(Date.now() - 10 * Timestamp.MINUTE)

const arrival: OwnRule = {
  rule: {
    userId: ANA,
    id: RuleId.make("rul_arrival"),
    connectionId: ConnectionId.make("con_ourselves"),
    appId: AppId.make("app_ourselves"),
    type: "enter",
    target: { _tag: "Place", placeId: PlaceId.make("plc_home"), label: "Home" },
    dwellMinutes: null,
    settleS: null,
    silenceS: null,
    webhookUrl: null,
    isLegacy: false,
    window: { from: null, until: null },
    maxEventAgeS: null,
    createdAt: BEGIN,
    disabledAt: null
  },
  circle: HOME
}

const at = (minute: number, metresNorth: number): Fix.Reading => ({
  capturedAt: Timestamp.plus(BEGIN, minute * Timestamp.MINUTE),
  lat: HOME.lat + metresNorth / 111_229,
  lon: HOME.lon,
  accuracyM: 10
})

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "engine-"))
})
afterEach(() => rm(folder, { recursive: true }))

const person = () => Effect.runPromise(read(folder, ANA))

const asking: RuleEvaluation.Question = {
  type: "enter",
  circle: HOME,
  dwellMinutes: null,
  settleS: null,
  silenceS: null,
  window: { from: null, until: null },
  firesFrom: null
}

it("just the decision: the walk home fires at the first fix that is decisively inside, and not again while inside", () => {
  const walk = [at(0, 2_000), at(1, 150), at(2, 20), at(3, 0), at(4, 2_000), at(5, 0)]
  expect(firings(asking, walk, at(6, 0).capturedAt)).toEqual([at(2, 0).capturedAt, at(5, 0).capturedAt])
})

it("just the decision: with settleS an arrival fires when nothing has contradicted it, also the last one of the walk", () => {
  const question = { ...asking, settleS: 60 }
  // The walk: outside, inside, outside again within a minute, inside for longer, outside, and inside at the end.
  const walk = [at(0, 2_000), at(2, 0), at(2.5, 2_000), at(5, 0), at(30, 0), at(40, 2_000), at(50, 0)]
  const fires = (until: Fix.Reading) => firings(question, walk, until.capturedAt)
  expect(fires(at(50.5, 0))).toEqual([at(5, 0).capturedAt])
  expect(fires(at(51, 0))).toEqual([at(5, 0).capturedAt, at(50, 0).capturedAt])
})

it("just the decision: with silenceS a dwell fires although the phone falls silent during it", () => {
  const question = { ...asking, type: "dwell", dwellMinutes: 10, silenceS: 120 } as const
  const walk = [at(0, 2_000), at(2, 0), at(5, 0), at(60, 2_000)]
  expect(firings(question, walk, at(60, 0).capturedAt)).toEqual([at(12, 0).capturedAt])
  expect(firings(question, walk.slice(0, 3), at(13.9, 0).capturedAt)).toEqual([])
  expect(firings(question, walk.slice(0, 3), at(14, 0).capturedAt)).toEqual([at(12, 0).capturedAt])
})

it("over a store of the embedder: an arrival stands in the outbox with what the rule is about, and the same upload again changes nothing", async () => {
  const { upload } = engine(folder, [arrival])
  const readings = [at(2, 10), at(0, 2_000)]
  expect(await upload(PHONE, readings)).toEqual({ accepted: 2, duplicates: 0, quarantined: 0 })
  const once = await person()
  expect(once.outbox).toMatchObject([
    {
      payload: { type: "place.enter", ruleId: "rul_arrival", target: { label: "Home" } },
      occurredAt: at(2, 0).capturedAt
    }
  ])
  expect(await upload(PHONE, readings)).toEqual({ accepted: 0, duplicates: 2, quarantined: 0 })
  expect(await person()).toEqual(once)
})

it("over a store of the embedder: eight phones that see one arrival at the same time make one event, and every fix is kept", async () => {
  const { upload } = engine(folder, [arrival])
  await upload(PHONE, [at(0, 2_000)])
  const phones = Array.from({ length: 8 }, (_, index) => ({ userId: ANA, id: DeviceId.make(`dev_${index}`) }))
  await Promise.all(phones.map((phone) => upload(phone, [at(2, 10)])))
  const { fixes, outbox } = await person()
  expect(fixes).toHaveLength(9)
  expect(outbox).toHaveLength(1)
})

it("over a store of the embedder: another process begins where this one stopped", async () => {
  const first = engine(folder, [arrival])
  await first.upload(PHONE, [at(0, 2_000)])
  await first.close()
  await engine(folder, [arrival]).upload(PHONE, [at(2, 0)])
  expect((await person()).outbox).toHaveLength(1)
})

describe("FixStore over files", () => {
  let people = 0
  const newPhone = () => ({ userId: UserId.make(`usr_${++people}`), id: DeviceId.make("dev_phone") })

  /** The test needs no store besides the `FixStore`: a new person is a new id, and the rules are in a list. */
  const subjects = (rules: Array<OwnRule>) =>
    Layer.succeed(FixSubjects.FixSubjects, {
      phone: Effect.sync(newPhone),
      another: (phone) => Effect.succeed({ ...phone, id: DeviceId.make(`${phone.id}_2`) }),
      withRule: Effect.sync(() => {
        const phone = newPhone()
        const rule = { ...arrival.rule, userId: phone.userId, id: RuleId.make(`rul_${phone.userId}`) }
        rules.push({ rule, circle: HOME })
        return { phone, rule, circle: HOME }
      }),
      outbox: ({ userId }) => Effect.map(read(folder, userId), ({ outbox }) => outbox)
    })

  for (const { name, run } of fixStoreContract) {
    it(name, () => {
      const rules: Array<OwnRule> = []
      const layer = Layer.mergeAll(layerFiles(folder, rules), subjects(rules), MemoryEntropy.layer)
      const begun = TestClock.setTime(Date.UTC(2026, 0, 15, 12))
      return Effect.runPromise(Effect.provide(Effect.zipRight(begun, run), Layer.merge(layer, TestContext.TestContext)))
    })
  }
})
