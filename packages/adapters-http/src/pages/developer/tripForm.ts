import { PlaceId } from "@place-access/domain/shared"
import { type TestPerson, Trip, type TripRequest } from "@place-access/domain/test-people"
import { Either, Schema } from "effect"
import { flag, type Html, html, type Value } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"

/** The form that sends the phone of one test person on a trip. The page has such a form for each person. */

const words = texts.testPeople
const LABELS = words.labels

const KINDS = ["arrive", "leave", "stay"] as const

/** The id of a field in the form of one person. The problems of the page refer to the field by the same id. */
export const fieldOf = (field: string, person: string): string => `${field}-${person}`

export interface ShownTrip {
  /** The posted values, if the request posted the form of this person. Undefined: the form has its usual values. */
  readonly values: Fields.Shown["values"] | undefined
  /** The problems of the whole page. A problem of this form has a field name that comes from `fieldOf`. */
  readonly problems: Fields.Shown["problems"]
}

const USUAL: Readonly<Record<string, string>> = {
  minutes: String(Trip.MINUTES.usual),
  late_minutes: String(Trip.LATE_MINUTES.usual),
  accuracy_m: String(Trip.ACCURACY_M.usual)
}

export const form = (
  path: string,
  { id: person, places }: TestPerson.TestPerson,
  token: string,
  { problems, values }: ShownTrip
): Html => {
  const shown: Fields.Shown = { values: values ?? ((name) => USUAL[name] ?? ""), problems }
  const numberField = (name: "minutes" | "late_minutes" | "accuracy_m", hint: Value) =>
    Fields.input(shown, { name, id: fieldOf(name, person), label: LABELS[name], hint, inputmode: "numeric" })
  return html`<form method="post" action="${path}/trips">
    ${Fields.hidden("form_token", token)}
    ${Fields.select(
      shown,
      { name: "trip", id: fieldOf("trip", person), label: LABELS.trip },
      KINDS.map((value) => ({ value, text: html`${words.kinds[value]}` }))
    )}
    ${Fields.select(
      shown,
      { name: "place", id: fieldOf("place", person), label: LABELS.place },
      places.map(({ id, label }) => ({ value: id, text: label }))
    )}
    ${numberField("minutes", words.minutesHint)}
    <details${flag("open", values !== undefined)}>
      <summary>${words.quality}</summary>
      <div>${numberField("late_minutes", words.lateHint)} ${numberField("accuracy_m", words.accuracyHint)}</div>
    </details>
    <button>${words.simulate}</button>
  </form>`
}

function wholeNumber({ least, most }: { readonly least: number; readonly most: number }) {
  return Form.WholeNumber(
    Schema.Int.pipe(Schema.between(least, most, { message: () => `must be a whole number from ${least} to ${most}` }))
  )
}

const TripDraft = Schema.Struct({
  trip: Schema.Literal(...KINDS),
  place: PlaceId,
  minutes: wholeNumber(Trip.MINUTES),
  late_minutes: wholeNumber(Trip.LATE_MINUTES),
  accuracy_m: wholeNumber(Trip.ACCURACY_M)
})

/** The trip that the form asks for, or the problems of its fields. */
export const requested = (form: Form.Form): Either.Either<TripRequest, Fields.Shown["problems"]> => {
  const names = ["trip", "place", "minutes", "late_minutes", "accuracy_m"] as const
  return Either.map(
    Form.decode(TripDraft, Object.fromEntries(names.map((name) => [name, form.value(name)]))),
    ({ accuracy_m: accuracyM, late_minutes: lateMinutes, minutes, place: placeId, trip: kind }): TripRequest => ({
      kind,
      placeId,
      minutes,
      accuracyM,
      lateMinutes
    })
  )
}
