import { Device } from "@place-access/domain/devices"
import { Coordinates, Place } from "@place-access/domain/places"
import { RuleId, Scope, Timestamp } from "@place-access/domain/shared"
import { Either, FastCheck, ParseResult, Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as Issues from "@place-access/adapters-http/wire/Issues"
import { optional, queryInt, request } from "@place-access/adapters-http/wire/Fields"

const Everything = request({
  label: Place.Label,
  kind: Place.PlaceKind,
  lat: Coordinates.Latitude,
  scopes: Schema.Array(Scope.Scope),
  at: Timestamp.FromIso,
  until: optional(Timestamp.FromIso),
  id: RuleId,
  name: optional(Device.DeviceName),
  endpoint_id: optional(Schema.String.pipe(Schema.brand("EndpointId"))),
  locations: Schema.Array(Schema.Struct({ captured_at: Timestamp.FromIso, accuracy_m: optional(Schema.Number) })),
  limit: queryInt(1, 10)
})

const messages = (input: unknown): ReadonlyArray<string> =>
  Either.match(Schema.decodeUnknownEither(Everything)(input), {
    onRight: () => [],
    onLeft: (error) => Issues.messages(ParseResult.ArrayFormatter.formatErrorSync(error))
  })

const good = {
  label: "Home",
  kind: "home",
  lat: 52.5,
  scopes: ["location.lookup"],
  at: "2026-01-01T00:00:00Z",
  id: "rul_1",
  locations: [{ captured_at: "2026-01-01T00:00:00.000Z" }],
  limit: "5"
}

describe("messages of a request that cannot be decoded", () => {
  it("name the field, by its path, and what it must be", () => {
    expect(messages(good)).toEqual([])
    expect(
      messages({
        label: " ",
        kind: "castle",
        lat: 91,
        scopes: ["location.everything"],
        at: "2026-01-01",
        until: 5,
        name: "",
        endpoint_id: 5,
        locations: [{ captured_at: null }, 7, { captured_at: "2026-01-01T00:00:00Z", accuracy_m: "far" }],
        limit: "11"
      })
    ).toEqual([
      "label must not be empty",
      'kind must be "home", "work", "school", "gym", "shop", "restaurant", "transit", "health" or "other"',
      "lat must be a number from -90 to 90",
      expect.stringMatching(/^scopes\[0\] must be "location\.place\.current", .* or "location\.lookup"$/),
      "at must be an ISO 8601 timestamp with a zone, such as 2026-01-31T09:30:00.000Z",
      expect.stringMatching(/^until must be /),
      "id is missing",
      "name must not be empty",
      "endpoint_id must be a string or null",
      "locations[0].captured_at must be a string",
      "locations[1] must be an object",
      "locations[2].accuracy_m must be a number or null",
      "limit must be a whole number from 1 to 10"
    ])
  })

  it("an answer has at most fifty messages", () => {
    const many = messages({ ...good, locations: Array.from({ length: 500 }, () => ({})) })
    expect(many).toHaveLength(51)
    expect(many.at(-1)).toBe("and 450 more")
  })

  it("never repeat what was sent, whatever that is", () => {
    const CANARY = "c4n4ry"
    const value = FastCheck.oneof(
      FastCheck.constantFrom<unknown>(null, true, 0, -1, 1e21, "", [], {}),
      FastCheck.string().map((text) => text + CANARY),
      FastCheck.string().map((text) => `${text}, actual ${CANARY}`),
      FastCheck.array(FastCheck.constant(CANARY)),
      FastCheck.record({ [CANARY]: FastCheck.constant(CANARY), captured_at: FastCheck.constant(CANARY) })
    )
    const input = FastCheck.record(
      Object.fromEntries(
        Object.keys(Everything.fields).map((name) => [name, FastCheck.oneof(value, FastCheck.constant(undefined))])
      )
    )
    FastCheck.assert(
      FastCheck.property(input, (sent) => {
        for (const message of messages(sent)) expect(message).not.toContain(CANARY)
      }),
      { numRuns: 500 }
    )
  })
})
