import { latestFix } from "@place-access/domain/fixes"
import { Geometry, Place } from "@place-access/domain/places"
import { Effect, Option, Schema } from "effect"
import * as Fields from "./Fields.js"
import * as Form from "./Form.js"
import { type Html, html, type Value } from "./Html.js"
import type * as Map from "./Map.js"
import type * as Visitor from "./Visitor.js"

/** The fields of a place, for every page that makes or changes one. */

export const LABELS = { label: "Name", kind: "Kind", lat: "Latitude", lon: "Longitude", radius_m: "Radius" }

const Typed = Schema.Struct({
  label: Place.Label,
  kind: Place.PlaceKind,
  lat: Form.Number(Geometry.Latitude),
  lon: Form.Number(Geometry.Longitude),
  radius_m: Form.Number(Geometry.RadiusM)
})

/** The typed place, or its problems. */
export const decode = (form: Form.Form) =>
  Form.decode(Typed, Object.fromEntries(Object.keys(LABELS).map((name) => [name, form.value(name)])))

export const draftOf = ({ kind, label, lat, lon, radius_m: radiusM }: typeof Typed.Type): Place.PlaceDraft => ({
  label,
  kind,
  circle: { lat, lon, radiusM }
})

export const circle = ({ circle: { lat, lon, radiusM }, label }: Place.Place): Map.MapCircle => ({
  label,
  lat,
  lon,
  radiusM
})

/** Where the map begins: people add places where they are. The map shows the location to its owner only. */
export const newest = ({ account }: Pick<Visitor.Visitor, "account">) =>
  Effect.map(
    latestFix(account.id),
    Option.match({
      onNone: () => null,
      onSome: ({ lat, lon }): Map.MapPoint => ({ label: "Your newest location", lat, lon })
    })
  )

interface Setting {
  /** False when the fields are a part of a larger form, which can be sent without them. */
  readonly required: boolean
}

export const fields = (form: Fields.Shown, map: Value, { required }: Setting = { required: true }): Html =>
  html` ${Fields.input(form, { name: "label", label: "Name", hint: "What you call it. Apps that you share it with see this name.", maxlength: 80, required })}
    ${Fields.select(
      form,
      { name: "kind", label: "Kind" },
      Place.PlaceKind.literals.map((kind) => ({ value: kind, text: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}` }))
    )}
    ${map}
    <details id="by-hand" open>
      <summary>Enter by hand</summary>
      <div class="pair">
        ${Fields.input(form, { name: "lat", label: "Latitude", hint: "Degrees, such as 52.5208", inputmode: "decimal", required })}
        ${Fields.input(form, { name: "lon", label: "Longitude", hint: "Degrees, such as 13.4095", inputmode: "decimal", required })}
      </div>
      <p class="hint">
        Map services show the coordinates of a point when you hold your finger, or the right mouse button, on it.
      </p>
    </details>
    ${Fields.input(form, { name: "radius_m", label: "Radius", hint: "Metres from the centre, 100 to 10,000. Phones are often 50 m off, so a circle smaller than 150 m misses arrivals.", inputmode: "decimal", required })}`
