import { OpenApi } from "@effect/platform"
import { Api } from "@place-access/adapters-http/Api"
import { describe, expect, it } from "vitest"

describe("the document of rules", () => {
  it("says of the request what the domain checks, with no reference that leads nowhere", () => {
    const schema: unknown = OpenApi.fromApi(Api).components.schemas["NewPlaceRule"]
    expect(schema).toMatchObject({
      type: "object",
      required: ["type", "place_id"],
      properties: {
        type: { enum: ["enter", "exit", "dwell"] },
        dwell_minutes: { type: ["integer", "null"], minimum: 5, maximum: 720 },
        max_event_age_s: { type: ["integer", "null"], minimum: 30, maximum: 3_600 }
      }
    })
    expect(JSON.stringify(schema)).not.toContain("$ref")
  })

  it("says of a zone which fields are required and within which bounds [§8]", () => {
    const schema: unknown = OpenApi.fromApi(Api).components.schemas["NewZoneRule"]
    expect(schema).toMatchObject({
      type: "object",
      required: ["type", "lat", "lon", "radius_m", "label"],
      properties: {
        type: { enum: ["enter", "exit", "dwell"] },
        lat: { minimum: -90, maximum: 90 },
        lon: { minimum: -180, maximum: 180 },
        radius_m: { minimum: 100, maximum: 10_000 },
        label: { minLength: 1, maxLength: 80 },
        dwell_minutes: { type: ["integer", "null"], minimum: 5, maximum: 720 }
      }
    })
    expect(JSON.stringify(schema)).not.toContain("$ref")
  })
})
