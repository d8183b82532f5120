import { Replay } from "@place-access/domain/deliveries"
import { DeliveryId, Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"

const OCCURRED = Timestamp.make(1_767_225_600_000)

type Replayable = Parameters<typeof Replay.refusal>[0]

const row = (state: string): Replayable =>
  ({
    delivery: { state, maxEventAgeS: 60, envelope: { occurredAt: OCCURRED } },
    endpoint: { disabledAt: null, epoch: 0 },
    isPending: false
  }) as unknown as Replayable

describe("a row that was withheld because its event was too old", () => {
  it("is not sent again, not even when the clock was set back to when the event was young", () => {
    expect(Replay.refusal(row("too_old"), OCCURRED)).toBe("too_old")
    expect(Replay.refusal(row("too_old"), Timestamp.plus(OCCURRED, -Timestamp.HOUR))).toBe("too_old")
  })
  it("one that failed is sent again while the event is young enough, and not a millisecond later", () => {
    expect(Replay.refusal(row("failed"), Timestamp.plus(OCCURRED, 60_000))).toBeUndefined()
    expect(Replay.refusal(row("failed"), Timestamp.plus(OCCURRED, 60_001))).toBe("too_old")
  })
})

describe("the row that is sent again", () => {
  const ID = DeliveryId.make("dlv_2")
  const decide = (changes: Partial<Replay.Replayable>) =>
    Replay.decide({ ...row("failed"), lastReplayNo: 3, ...changes }, ID, OCCURRED)

  it("is new, of the endpoint's present epoch, due at once, and counts the replays of its event", () => {
    expect(Either.getOrThrow(decide({ endpoint: { disabledAt: null, epoch: 5 } }))).toMatchObject({
      id: ID,
      endpointEpoch: 5,
      replayNo: 4,
      createdAt: OCCURRED
    })
  })

  it.each([
    ["pending", { isPending: true }],
    ["endpoint_removed", { endpoint: null }],
    ["endpoint_disabled", { endpoint: { disabledAt: OCCURRED, epoch: 0 } }]
  ] as const)("is refused: %s", (why, changes) => {
    expect(decide(changes)).toEqual(Either.left(why))
  })

  it("says pending first: a row that waits is about to be sent anyway", () => {
    expect(decide({ ...row("too_old"), isPending: true, endpoint: null })).toEqual(Either.left("pending"))
  })
})
