import { OpenApi } from "@effect/platform"
import { Api } from "@place-access/adapters-http/Api"
import { describe, expect, it } from "vitest"

const schemas = OpenApi.fromApi(Api).components.schemas as unknown as Readonly<Record<string, Form>>

interface Form {
  readonly oneOf?: ReadonlyArray<{ readonly $ref: string }>
}

/**
 * The forms of a request, looked up by their references. For a broken reference the form is undefined, and each test
 * below then fails.
 */
const forms = (name: string): ReadonlyArray<Form> =>
  (schemas[name]?.oneOf ?? []).map(({ $ref }) => schemas[$ref.replace("#/components/schemas/", "")] as Form)

const MINUTES = { minimum: 5, maximum: 720 }

const CROSSING = { $ref: "#/components/schemas/CrossingType" }

/** The names of all schemas to which the forms of a request refer. */
const references = (name: string) => [...new Set(JSON.stringify(forms(name)).match(/#[^"]*/g))]

describe("the document of rules", () => {
  it("says of the request what the domain checks, with no reference that leads nowhere", () => {
    const rest = { max_event_age_s: { type: ["integer", "null"], minimum: 30, maximum: 3_600 } }
    expect(schemas["CrossingType"]).toMatchObject({ enum: ["enter", "exit"] })
    // The request for a rule has two forms: only the form of a dwell rule requires `dwell_minutes` (decision wire-3).
    expect(schemas["NewPlaceRule"]).toMatchObject({ oneOf: [{}, {}], discriminator: { propertyName: "type" } })
    expect(forms("NewPlaceRule")).toMatchObject([
      {
        type: "object",
        required: ["type", "place_id"],
        properties: {
          type: CROSSING,
          dwell_minutes: { type: ["integer", "null"], ...MINUTES },
          ...rest
        }
      },
      {
        type: "object",
        required: ["type", "place_id", "dwell_minutes"],
        properties: { type: { enum: ["dwell"] }, dwell_minutes: { type: "integer", ...MINUTES }, ...rest }
      }
    ])
    expect(references("NewPlaceRule")).toEqual([CROSSING.$ref])
  })

  it("says of a zone which fields are required and within which bounds [§8]", () => {
    const required = ["type", "lat", "lon", "radius_m", "label"]
    const circle = {
      lat: { minimum: -90, maximum: 90 },
      lon: { minimum: -180, maximum: 180 },
      radius_m: { minimum: 100, maximum: 10_000 },
      label: { minLength: 1, maxLength: 80 }
    }
    expect(forms("NewZoneRule")).toMatchObject([
      {
        type: "object",
        required,
        properties: {
          type: CROSSING,
          dwell_minutes: { type: ["integer", "null"], ...MINUTES },
          ...circle
        }
      },
      {
        type: "object",
        required: [...required, "dwell_minutes"],
        properties: { type: { enum: ["dwell"] }, dwell_minutes: { type: "integer", ...MINUTES }, ...circle }
      }
    ])
    expect(references("NewZoneRule")).toEqual([CROSSING.$ref])
  })
})
