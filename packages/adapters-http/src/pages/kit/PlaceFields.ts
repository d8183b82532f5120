import { latestFix } from "@place-access/domain/fixes"
import { Coordinates, listPlaces, Place } from "@place-access/domain/places"
import { Effect, Either, Option, Schema } from "effect"
import * as Fields from "./Fields.js"
import * as Form from "./Form.js"
import { type Html, html, type Value } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import type * as Map from "./Map.js"
import type * as Visitor from "./Visitor.js"

/** The form fields of a place. Every page on which users add or change their places uses this module. */

const words = texts.map.place

export const LABELS = {
  label: words.name,
  kind: words.kind,
  lat: words.lat,
  lon: words.lon,
  radius_m: words.radius,
  /** `centre` is no field of the form. The problem of a place without a centre has this name, and links to the map. */
  centre: words.centre.set
}

const Typed = Schema.Struct({
  label: Place.Label,
  kind: Place.PlaceKind,
  lat: Form.Number(Coordinates.Latitude),
  lon: Form.Number(Coordinates.Longitude),
  radius_m: Form.NumberFrom100(Coordinates.RadiusM)
})

/**
 * The kind that is chosen at first in the form of a new place (decision consent-11). Most people have one home, so a
 * second place of the kind home is often a mistake that nobody notices.
 */
export const firstKind = (present: ReadonlyArray<Pick<Place.Place, "kind" | "archivedAt">>): Place.PlaceKind =>
  present.some(({ archivedAt, kind }) => archivedAt === null && kind === "home") ? "other" : "home"

/**
 * Decodes the place that the person typed, or reports the problems of its fields. On a page with a map, the fields of
 * the centre are folded away. So when latitude and longitude are both empty, the place has one problem, which leads to
 * the map.
 */
export const decode = (form: Form.Form) => {
  const typed = Object.fromEntries(Object.keys(Typed.fields).map((name) => [name, form.value(name)]))
  const isCentre = ({ field }: Fields.ShownProblem): boolean => field === "lat" || field === "lon"
  return Either.mapLeft(Form.decode(Typed, typed), (problems): Fields.Shown["problems"] =>
    form.value("lat").trim() + form.value("lon").trim() === ""
      ? [...problems.filter((one) => !isCentre(one)), { field: "centre", message: words.centre.how }]
      : problems
  )
}

export const draftOf = ({ kind, label, lat, lon, radius_m: radiusM }: typeof Typed.Type): Place.PlaceDraft => ({
  label,
  kind,
  circle: { lat, lon, radiusM }
})

/**
 * Finds the place that the same form has already added. A form is sent twice when the person reloads the page or
 * presses the button twice. The found place has exactly the typed values.
 */
export const sameAs = (draft: Place.PlaceDraft, { account }: Pick<Visitor.Visitor, "account">) =>
  Effect.map(listPlaces(account.id), (places) => places.find((place) => Place.isDraftOf(place, draft)))

export const circle = ({ circle: { lat, lon, radiusM }, label }: Place.Place): Map.MapCircle => ({
  label,
  lat,
  lon,
  radiusM
})

/**
 * The user's newest location, at which the map begins: people add places where they are. Only the owner sees the map.
 */
export const newest = ({ account }: Pick<Visitor.Visitor, "account">) =>
  Effect.map(
    latestFix(account.id),
    Option.match({
      onNone: () => null,
      onSome: ({ lat, lon }): Map.MapPoint => ({ lat, lon })
    })
  )

interface Setting {
  /**
   * Whether the person must fill in the fields. False when they are a part of a larger form that can be sent with these
   * fields empty.
   */
  readonly required: boolean
}

export const fields = (form: Fields.Shown, map: Value, { required }: Setting = { required: true }): Html =>
  html` ${Fields.input(form, { name: "label", label: words.name, hint: words.nameHint, maxlength: 80, required })}
    ${Fields.select(
      form,
      { name: "kind", label: words.kind },
      Place.PlaceKind.literals.map((kind) => ({ value: kind, text: texts.map.kinds[kind] }))
    )}
    <div id="centre">${Fields.groupFault(form, "centre", LABELS.centre)} ${map}</div>
    <details id="by-hand" open>
      <summary>${words.byHand}</summary>
      <div class="pair">
        ${Fields.input(form, { name: "lat", label: words.lat, hint: words.latHint, inputmode: "decimal", required })}
        ${Fields.input(form, { name: "lon", label: words.lon, hint: words.lonHint, inputmode: "decimal", required })}
      </div>
      <p class="hint">${words.byHandHint}</p>
    </details>
    ${Fields.input(form, { name: "radius_m", label: words.radius, hint: words.radiusHint, inputmode: "decimal", required })}`
