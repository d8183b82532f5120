import { Effect, Layer, Option } from "effect"
import * as Purpose from "../../../src/purposes/Purpose.js"
import { PurposeStore } from "../../../src/purposes/PurposeStore.js"
import { Conflict } from "../../../src/shared/Errors.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { MemoryDatabase } from "../MemoryDatabase.js"
import * as MemoryReviews from "./MemoryReviews.js"

export const layer: Layer.Layer<PurposeStore, never, MemoryDatabase> = Layer.effect(
  PurposeStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { purposes, reviewDecisions } = tables
    return PurposeStore.of({
      create: (purpose) =>
        Effect.suspend(() => {
          const present = purposes.filter(({ appId }) => appId === purpose.appId)
          const refusal = Purpose.refusal(
            present.map(({ key }) => key),
            purpose.key
          )
          if (refusal !== undefined) return new Conflict({ reason: refusal })
          purposes.push(purpose)
          return Effect.void
        }),
      list: (appId) =>
        Effect.sync(() =>
          purposes.filter((purpose) => purpose.appId === appId).sort((a, b) => (a.key < b.key ? -1 : 1))
        ),
      approvals: (app) =>
        Effect.sync(() =>
          reviewDecisions
            .flatMap(({ appId, at, id, kind, subject }) =>
              appId === app && kind === "approved" && subject.kind === "purpose"
                ? [{ id, approval: { purposeId: subject.id, at, description: subject.terms.description } }]
                : []
            )
            .sort((a, b) => a.approval.at - b.approval.at || (a.id < b.id ? -1 : 1))
            .map(({ approval }) => approval)
        ),
      find: (id) => Effect.sync(() => Option.fromNullable(purposes.find((purpose) => purpose.id === id))),
      update: (id, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const index = purposes.findIndex((purpose) => purpose.id === id)
          const before = purposes[index]
          if (before === undefined) return Option.none()
          const { after, outcome, recorded } = decide(before, now)
          const { appId, createdAt, key } = before
          if (after !== null) purposes[index] = { ...after, id, appId, key, createdAt }
          if (recorded !== undefined) MemoryReviews.record(tables, recorded)
          return Option.some(outcome)
        })
    })
  })
)
