import {
  deleteExport,
  ExportStore,
  getExport,
  listExports,
  openArchive,
  requestExport
} from "@place-access/domain/exports"
import { Bucket } from "@place-access/domain/leases"
import { MailOutbox } from "@place-access/domain/mail"
import { type ExportId, Timestamp, type UserId, Vault } from "@place-access/domain/shared"
import { Fixtures } from "@place-access/domain/testing"
import { Chunk, Effect, Either, FastCheck as fc, Option, Stream, TestClock } from "effect"
import { expect } from "vitest"

/**
 * Generates random scenarios of a person who exports their data, with two workers and a stranger, and runs them against
 * any stores. Compares each result with a second implementation of the guarantees:
 *
 * - There is at most one archive at a time, and a person gets at most three archives a day.
 * - Only the owner fetches an archive, only when it is complete, and only for seven days.
 * - Of two workers, one makes the archive.
 * - Nothing of a deleted or expired archive is left.
 */

export type ExportStep =
  | { readonly _tag: "Ask"; readonly times: number }
  | { readonly _tag: "Claim"; readonly worker: number }
  | { readonly _tag: "Piece"; readonly worker: number }
  | { readonly _tag: "Finish"; readonly worker: number; readonly how: "ready" | "failed" }
  /**
   * `back` selects an export: 0 is the newest. With `times` > 1, several browsers send the request at the same time.
   */
  | { readonly _tag: "Delete"; readonly back: number; readonly times: number }
  | { readonly _tag: "Sweep" }
  | { readonly _tag: "Pass"; readonly millis: number }

const { DAY, MINUTE } = Timestamp
const WEEK = 7 * DAY
const PATIENCE = 2 * MINUTE

const worker = fc.nat({ max: 1 })
const one = <Name extends ExportStep["_tag"], Fields>(
  _tag: Name,
  fields: { [K in keyof Fields]: fc.Arbitrary<Fields[K]> }
) => fc.record({ _tag: fc.constant(_tag), ...fields })

const step = fc.oneof(
  { weight: 4, arbitrary: one("Ask", { times: fc.constantFrom(1, 1, 3) }) },
  { weight: 5, arbitrary: one("Claim", { worker }) },
  { weight: 5, arbitrary: one("Piece", { worker }) },
  { weight: 4, arbitrary: one("Finish", { worker, how: fc.constantFrom("ready", "ready", "failed") }) },
  { weight: 2, arbitrary: one("Delete", { back: fc.constantFrom(0, 0, 1), times: fc.constantFrom(1, 3) }) },
  { weight: 1, arbitrary: one("Sweep", {}) },
  {
    weight: 4,
    arbitrary: one("Pass", {
      millis: fc.constantFrom(1, PATIENCE - 1, PATIENCE, DAY - 1, DAY, WEEK - 1, WEEK, 31 * DAY)
    })
  }
) as fc.Arbitrary<ExportStep>

/** Steps in which a worker makes an archive, and nothing fails. */
const MADE: ReadonlyArray<ExportStep> = [
  { _tag: "Ask", times: 1 },
  { _tag: "Claim", worker: 0 },
  { _tag: "Piece", worker: 0 },
  { _tag: "Piece", worker: 0 },
  { _tag: "Finish", worker: 0, how: "ready" }
]

/** A finished archive at the last instant of its week, or at the first instant after it. */
const edge: fc.Arbitrary<ReadonlyArray<ExportStep>> = fc
  .constantFrom(WEEK - 1, WEEK)
  .map((millis) => [...MADE, { _tag: "Pass", millis }, { _tag: "Sweep" }])

/** The first worker sleeps until its lease has ended. A second worker begins the archive again, and then both go on. */
const overtaken: fc.Arbitrary<ReadonlyArray<ExportStep>> = fc
  .constantFrom<ReadonlyArray<0 | 1>>([0, 1], [1, 0])
  .map((order) => [
    { _tag: "Ask", times: 1 },
    { _tag: "Claim", worker: 0 },
    { _tag: "Piece", worker: 0 },
    { _tag: "Pass", millis: PATIENCE },
    { _tag: "Claim", worker: 1 },
    { _tag: "Piece", worker: 1 },
    ...order.map((worker) => ({ _tag: "Piece", worker }) as const),
    ...order.map((worker) => ({ _tag: "Finish", worker, how: "ready" }) as const)
  ])

/**
 * A person requests as many archives as the limit of a day allows, deletes each of them immediately, and then requests
 * one more.
 */
const many: fc.Arbitrary<ReadonlyArray<ExportStep>> = fc.constantFrom(DAY - 1, DAY).map((millis) => [
  ...[1, 2, 3].flatMap((): ReadonlyArray<ExportStep> => [
    { _tag: "Ask", times: 1 },
    { _tag: "Delete", back: 0, times: 1 }
  ]),
  { _tag: "Pass", millis },
  { _tag: "Ask", times: 1 }
])

export const exportLives: fc.Arbitrary<ReadonlyArray<ExportStep>> = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: step.map((only) => [only]) },
      { weight: 1, arbitrary: edge },
      { weight: 1, arbitrary: overtaken },
      { weight: 1, arbitrary: many }
    ),
    { minLength: 1, maxLength: 14 }
  )
  .map((all) => all.flat())

export const EXPORT_MARKS = [
  "a late piece was refused",
  "a second attempt began anew",
  "an end without a lease was refused",
  "an old export left the list",
  "asked for",
  "expired",
  "failed",
  "fetched",
  "not fetched half-made",
  "not fetched too late",
  "of several at once one",
  "refused: a ready one",
  "refused: one is made",
  "refused: three a day",
  "stopped or deleted"
]

interface ModelExport {
  readonly id: ExportId
  readonly requestedAt: number
  state: "requested" | "making" | "ready" | "failed" | "expired" | "deleted"
  lease: string | null
  dueAt: number
  pieces: Array<string>
  expiresAt: number
  endedAt: number | null
}

/**
 * Runs a scenario and fails when a guarantee is violated. Adds to `met` the name of each situation that the scenario
 * reached.
 */
export const liveExports = (
  steps: ReadonlyArray<ExportStep>,
  met: Set<string>,
  pass: (millis: number) => Effect.Effect<void> = TestClock.adjust
) =>
  Effect.gen(function* () {
    const [store, vault] = [yield* ExportStore, yield* Vault.Vault]
    const user = (yield* Fixtures.user).id
    const stranger = (yield* Fixtures.user).id
    const exports: Array<ModelExport> = []
    /** For each worker: the archive that it believes it is making. */
    const working: Array<{ readonly of: ModelExport; readonly lease: string; pieces: number } | undefined> = [
      undefined,
      undefined
    ]
    let attempts = 0

    const isOpen = (one: ModelExport) => one.state === "requested" || one.state === "making"
    const end = (of: ModelExport, state: ModelExport["state"], now: number) => {
      of.state = state
      of.endedAt = now
      of.lease = null
      of.pieces = []
    }
    const letters = Effect.map(
      Effect.flatMap(MailOutbox, (outbox) => outbox.recent(10_000)),
      (all) => all.filter(({ message }) => message.to === user).map(({ message }) => message.dedupeKey)
    )

    const take = (step: ExportStep, now: number) =>
      Effect.gen(function* () {
        switch (step._tag) {
          case "Ask": {
            const requests = yield* Effect.all(
              Array.from({ length: step.times }, () => Effect.either(requestExport(user))),
              { concurrency: "unbounded" }
            )
            const refusal = exports.some(isOpen)
              ? "refused: one is made"
              : exports.some((one) => one.state === "ready" && now < one.expiresAt)
                ? "refused: a ready one"
                : exports.filter(({ requestedAt }) => now < requestedAt + DAY).length >= 3
                  ? "refused: three a day"
                  : undefined
            const begun = requests.filter(Either.isRight)
            expect(begun.length).toBe(refusal === undefined ? 1 : 0)
            met.add(refusal ?? (step.times > 1 ? "of several at once one" : "asked for"))
            for (const { right } of begun) {
              exports.push({
                id: right.id,
                requestedAt: now,
                state: "requested",
                lease: null,
                dueAt: now,
                pieces: [],
                expiresAt: 0,
                endedAt: null
              })
            }
            return
          }
          case "Claim": {
            const due = Option.getOrUndefined(yield* store.due(Bucket.ALL, Timestamp.make(now)))
            const expected = exports.find((one) => isOpen(one) && one.dueAt <= now)
            expect(due?.id).toBe(expected?.id)
            // If no export is due, the worker tries to claim one that is not finished, like a worker that read the list
            // of due exports too early. This claim must fail.
            const of = expected ?? exports.find(isOpen)
            if (of === undefined) return
            const lease = `lease ${attempts++}`
            const leased = { userId: user, id: of.id, lease }
            const dueAt = Timestamp.make(now + PATIENCE)
            const claimed = yield* store.claim(leased, Timestamp.make(now), dueAt)
            expect(Option.isSome(claimed)).toBe(expected !== undefined)
            if (expected === undefined) return
            if (of.state === "making") met.add("a second attempt began anew")
            of.state = "making"
            of.lease = lease
            of.dueAt = dueAt
            of.pieces = []
            working[step.worker] = { of, lease, pieces: 0 }
            return
          }
          case "Piece": {
            const work = working[step.worker]
            if (work === undefined) return
            const { lease, of } = work
            const position = work.pieces
            const text = `${lease} ${position};`
            const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
            const sealed = yield* vault.sealBytes(bytes, `export ${user} ${of.id} ${position}`)
            const isHeld = isOpen(of) && of.lease === lease
            const stored = yield* store.append(
              { userId: user, id: of.id, lease },
              { position, sealed },
              { done: position + 1, total: 10 },
              Timestamp.make(now + PATIENCE)
            )
            expect(stored).toBe(isHeld)
            if (!isHeld) return void met.add("a late piece was refused")
            work.pieces++
            of.pieces.push(text)
            of.dueAt = now + PATIENCE
            return
          }
          case "Finish": {
            const work = working[step.worker]
            if (work === undefined || (step.how === "ready" && work.pieces === 0)) return
            const { lease, of, pieces } = work
            const isHeld = isOpen(of) && of.lease === lease
            const at = Timestamp.make(now)
            const expiresAt = Timestamp.make(now + WEEK)
            const length = of.pieces.join("").length
            const mail = { to: user, dedupeKey: `${step.how} ${of.id}`, subject: "An archive", body: "About it" }
            const isFinished = yield* store.finish(
              { userId: user, id: of.id, lease },
              step.how === "ready"
                ? { _tag: "Ready", bytes: length, pieces, at, expiresAt }
                : { _tag: "Failed", fault: "gave_up", at },
              mail
            )
            expect(isFinished).toBe(isHeld)
            if (!isHeld) return void met.add("an end without a lease was refused")
            expect(yield* letters).toContain(mail.dedupeKey)
            if (step.how === "failed") {
              met.add("failed")
              return end(of, "failed", now)
            }
            of.state = "ready"
            of.expiresAt = expiresAt
            return
          }
          case "Delete": {
            const of = exports.at(-1 - step.back)
            if (of === undefined) return
            const deleted = yield* Effect.all(
              Array.from({ length: step.times }, () => Effect.either(deleteExport({ userId: user, id: of.id }))),
              { concurrency: "unbounded" }
            )
            const isLeft = isOpen(of) || of.state === "ready"
            expect(deleted.filter(Either.isRight).length).toBe(isLeft ? 1 : 0)
            if (!isLeft) return
            met.add("stopped or deleted")
            return end(of, "deleted", now)
          }
          case "Sweep": {
            const before = Timestamp.make(now - 30 * DAY)
            const over = exports.filter((one) => one.state === "ready" && one.expiresAt <= now)
            expect(yield* store.expire(Bucket.ALL, Timestamp.make(now), before)).toBe(over.length)
            for (const one of over) end(one, "expired", now)
            if (over.length > 0) met.add("expired")
            const old = exports.filter(({ endedAt }) => endedAt !== null && endedAt < before)
            for (const one of old) exports.splice(exports.indexOf(one), 1)
            if (old.length > 0) met.add("an old export left the list")
            return
          }
          case "Pass":
            return yield* pass(step.millis)
        }
      })

    const textOf = (userId: UserId, id: ExportId) =>
      Effect.gen(function* () {
        const opened = yield* openArchive({ userId, id })
        const pieces = Chunk.toReadonlyArray(yield* Stream.runCollect(opened.bytes))
        return pieces.map((piece) => String.fromCharCode(...piece)).join("")
      })

    for (const step of steps) {
      yield* take(step, yield* Timestamp.now)
      const now = yield* Timestamp.now
      for (const one of exports) {
        const isThere = one.state === "ready" && now < one.expiresAt
        const got = yield* Effect.either(textOf(user, one.id))
        expect(Either.isRight(got)).toBe(isThere)
        if (Either.isRight(got)) {
          met.add("fetched")
          expect(got.right).toBe(one.pieces.join(""))
        } else if (one.state === "making" && one.pieces.length > 0) met.add("not fetched half-made")
        else if (one.state === "ready") met.add("not fetched too late")
        expect(Either.isLeft(yield* Effect.either(textOf(stranger, one.id)))).toBe(true)
        expect(Either.isLeft(yield* Effect.either(getExport({ userId: stranger, id: one.id })))).toBe(true)
        expect(Either.isLeft(yield* Effect.either(deleteExport({ userId: stranger, id: one.id })))).toBe(true)
        // The store must check for itself that the owner may fetch the archive, before it returns a piece.
        const first = yield* store.piece({ userId: user, id: one.id }, 0, Timestamp.make(now))
        expect(Option.isSome(first)).toBe(isThere)
      }
      const listed = yield* listExports(user)
      const expected = exports.map((one) =>
        one.state === "ready" && now >= one.expiresAt ? [one.id, "expired"] : [one.id, one.state]
      )
      expect(listed.map(({ id, state }) => [id, state]).sort()).toEqual(expected.slice(-20).sort())
      expect(yield* listExports(stranger)).toEqual([])
    }
    for (const one of exports) yield* Effect.ignore(deleteExport({ userId: user, id: one.id }))
  })
