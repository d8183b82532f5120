import { type ReviewSubject } from "@place-access/domain/staff"
import { SignUpRequest } from "@place-access/domain/credentials"
import { decideApp, narrowApp } from "@place-access/domain/apps"
import { revokeApp } from "@place-access/domain/staff"
import { decidePurpose, listVolumeFlags, type Purpose } from "@place-access/domain/purposes"
import {
  type DevelopedApp,
  inspectApp,
  listAllApps,
  listDecisions,
  listLeaks,
  listReviews
} from "@place-access/domain/staff"
import type { Verdict } from "@place-access/domain/reviews"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import * as AppsApi from "../apps/AppsApi.js"
import * as PurposesApi from "../purposes/PurposesApi.js"
import * as VolumeFlagsApi from "../purposes/VolumeFlagsApi.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"

const reviewedApp = ({ app, developer }: DevelopedApp) => ({
  ...AppsApi.toBody(app),
  revision: app.revision,
  developer: { id: developer.id, email: SignUpRequest.addressOf(developer), display_name: developer.displayName }
})

const reviewedPurpose = (purpose: Purpose.Purpose) => ({
  ...PurposesApi.toBody(purpose),
  app_id: purpose.appId,
  revision: purpose.revision
})

const subject = (about: ReviewSubject) =>
  about.kind === "app"
    ? {
        kind: about.kind,
        id: about.id,
        name: about.name,
        scopes: about.declaredScopes,
        allowed_scopes: about.allowedScopes,
        change: AppsApi.nullOr(about.change, AppsApi.toChange)
      }
    : { kind: about.kind, id: about.id, key: about.key, ...PurposesApi.toTerms(about.terms) }

const verdict = (body: {
  readonly decision: Verdict.ReviewerDecision
  readonly note?: Verdict.Note
  readonly revision?: number
}): Verdict.Verdict => ({ decision: body.decision, note: body.note ?? null, revision: body.revision ?? "unchecked" })

export const layer = Group.group(Api, "admin", (handlers) =>
  handlers
    .handle("reviews", ({ urlParams: { cursor, limit } }) =>
      Effect.gen(function* () {
        const { nextCursor, reviews } = yield* listReviews(yield* SignedIn, { limit, cursor })
        return {
          reviews: reviews.map(({ purpose, submission, ...whose }) => ({
            kind: purpose === null ? ("app" as const) : ("purpose" as const),
            submitted_at: submission.at,
            app: reviewedApp(whose),
            purpose: purpose === null ? null : reviewedPurpose(purpose)
          })),
          nextCursor
        }
      }).pipe(toWire)
    )
    .handle(
      "decidePurpose",
      ({ path, payload }) =>
        Effect.gen(function* () {
          return PurposesApi.toBody(yield* decidePurpose(yield* SignedIn, path.purpose_id, verdict(payload)))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "decideApp",
      ({ path, payload }) =>
        Effect.gen(function* () {
          return AppsApi.toBody(yield* decideApp(yield* SignedIn, path.app_id, verdict(payload)))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle("apps", ({ urlParams: { cursor, limit } }) =>
      Effect.gen(function* () {
        const { apps, nextCursor } = yield* listAllApps(yield* SignedIn, { limit, cursor })
        return { apps: apps.map(reviewedApp), nextCursor }
      }).pipe(toWire)
    )
    .handle("app", ({ path }) =>
      Effect.gen(function* () {
        const { purposes, ...whose } = yield* inspectApp(yield* SignedIn, path.app_id)
        return { ...reviewedApp(whose), purposes: purposes.map(reviewedPurpose) }
      }).pipe(toWire)
    )
    .handle("decisions", ({ path, urlParams: { cursor, limit } }) =>
      Effect.gen(function* () {
        const page = yield* listDecisions(yield* SignedIn, path.app_id, { limit, cursor })
        return {
          decisions: page.decisions.map((decision) => ({
            id: decision.id,
            at: decision.at,
            decision: decision.kind,
            note: decision.note,
            by: { id: decision.by, display_name: decision.byName },
            subject: subject(decision.subject)
          })),
          nextCursor: page.nextCursor
        }
      }).pipe(toWire)
    )
    .handle(
      "narrow",
      ({ path, payload }) =>
        Effect.gen(function* () {
          return AppsApi.toBody(yield* narrowApp(yield* SignedIn, path.app_id, payload.allowed_scopes, "unchecked"))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "revoke",
      ({ path, payload }) =>
        Effect.gen(function* () {
          return AppsApi.toBody(yield* revokeApp(yield* SignedIn, path.app_id, payload.reason))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle("flags", ({ urlParams: { cursor, limit } }) =>
      Effect.gen(function* () {
        const { flags, nextCursor } = yield* listVolumeFlags(yield* SignedIn, { limit, cursor })
        return {
          flags: flags.map((flag) => ({
            ...VolumeFlagsApi.toFields(flag),
            connection_id: flag.connectionId,
            purpose_id: flag.purposeId,
            purpose: flag.purposeKey
          })),
          nextCursor
        }
      }).pipe(toWire)
    )
    .handle("leaks", ({ urlParams: { cursor, limit } }) =>
      Effect.gen(function* () {
        const { leaks, nextCursor } = yield* listLeaks(yield* SignedIn, { limit, cursor })
        return {
          leaks: leaks.map((leak) => ({
            app_id: leak.appId,
            app_name: leak.appName,
            connection_id: leak.connectionId,
            flagged_at: leak.flaggedAt,
            end_reason: leak.endReason
          })),
          nextCursor
        }
      }).pipe(toWire)
    )
)
