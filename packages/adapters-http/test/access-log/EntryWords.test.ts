import { HttpApi } from "@effect/platform"
import { AccessLogEntry } from "@place-access/domain/access-log"
import { untranslated } from "@place-access/domain/languages"
import { Event } from "@place-access/domain/events"
import * as EntryWords from "@place-access/adapters-http/access-log/EntryWords"
import { Api } from "@place-access/adapters-http/Api"
import * as Routes from "@place-access/adapters-http/engine/Routes"
import { BearerAuth } from "@place-access/adapters-http/security/BearerAuth"
import * as Errors from "@place-access/adapters-http/wire/Errors"
import { describe, expect, it } from "vitest"

/** Error codes that a request with the token of a connection can never get. */
const ELSEWHERE = new Set([
  "invalid_client",
  "invalid_grant",
  "unsupported_grant_type",
  "not_signed_in",
  "confirmation_required",
  "second_factor_required",
  "second_factor_missing",
  "forbidden",
  "method_not_allowed"
])

/** Calls by an app's developer. The access log of the user lists them like requests of the app. */
const BY_DEVELOPERS = ["GET /v1/developer/apps/{app_id}/rules", "GET /developer/apps/{app}/users/{grant}/rules"]

/** The labels of all endpoints that apps call with a bearer token. */
const labelsOfApps = (): ReadonlyArray<string> => {
  const labels: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, path }, middleware }) => {
      if (Array.from(middleware).some(({ key }) => key === BearerAuth.key)) labels.push(Routes.label(method, path))
    }
  })
  return labels
}

describe("the words of the access log", () => {
  it("every endpoint that apps call, and every event that tells of a place, and nothing else [access-log-3]", () => {
    const labels = labelsOfApps()
    const events = ["rule.fired", "places.changed"] as const
    const types = events.flatMap((name) => Event.typesOf(name)).map((type) => `webhook ${type}`)
    expect(Object.keys(EntryWords.DEEDS).sort()).toEqual([...labels, ...BY_DEVELOPERS, ...types].sort())
  })

  it("only an endpoint that an app calls shows that the app has its tokens, none of its developer's", () => {
    const endpoints = Object.keys(EntryWords.DEEDS)
    expect(endpoints.filter((endpoint) => AccessLogEntry.isOfApp({ endpoint })).sort()).toEqual(
      labelsOfApps().toSorted()
    )
  })

  it("every error that an app can be answered with [access-log-3, access-log-5]", () => {
    const codes = Errors.WireError.members.map(({ fields }) => fields.error.literals[0])
    expect(codes.filter((code) => !ELSEWHERE.has(code) && EntryWords.OUTCOMES[code] === undefined)).toEqual([])
  })

  it("every one of them has German words [languages-2]", () => {
    const reasons = Object.values(EntryWords.OUTCOMES).flatMap(({ label, why }) => [label, why, `${label}: ${why}`])
    const all = [...Object.values(EntryWords.DEEDS), ...reasons]
    expect(all.flatMap((text) => untranslated(text, "de"))).toEqual([])
  })

  it("a code of another version is shown without a reason", () => {
    expect(EntryWords.outcomeText("teapot")).toBe("Refused")
    expect(EntryWords.deed("GET /v1/tea")).toBeUndefined()
    expect(EntryWords.deed("HEAD /v1/me")).toBe(EntryWords.deed("GET /v1/me"))
  })
})
