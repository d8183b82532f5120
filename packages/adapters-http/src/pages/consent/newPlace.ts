import { createPlace, listPlaces, Place } from "@place-access/domain/places"
import { AccountLimits } from "@place-access/domain/quotas"
import { Effect, Either } from "effect"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import * as Map from "../kit/Map.js"
import * as PlaceFields from "../kit/PlaceFields.js"
import { ofDomain } from "../kit/Time.js"
import type * as Visitor from "../kit/Visitor.js"

const words = texts.consent.places

/**
 * This module lets a person add a place on the consent page, before the decision about the consent (decision
 * consent-11).
 */

const isBlank = (form: Form.Form): boolean => ["label", "lat", "lon"].every((name) => form.value(name).trim() === "")

/**
 * Whether the form adds a place. A form adds a place when the person presses the button that adds a place. A form with
 * the button Allow adds a place when the name or a coordinate is filled in: otherwise Allow would drop the typed place.
 */
export const isMeant = (form: Form.Form): boolean =>
  form.value("decision") === "add_place" || (form.value("decision") === "allow" && !isBlank(form))

/**
 * The result of adding a place, for the consent page that is shown again. `form`: the fields of the place with their
 * problems; null when the fields have no problem. `added`: the place that was added, or the equal place that the person
 * already had; null when no place was added.
 */
export interface NewPlaceResult {
  readonly form: Fields.Shown | null
  readonly added: Pick<Place.Place, "id" | "label"> | null
}

export const FIRST: NewPlaceResult = { form: null, added: null }

/** The map and the fields of a new place, for the consent page. */
export const fields = (visitor: Visitor.Visitor, { added, form }: NewPlaceResult) =>
  Effect.gen(function* () {
    const places = (yield* listPlaces(visitor.account.id)).filter(({ archivedAt }) => archivedAt === null)
    const map = yield* Map.make(places.map(PlaceFields.circle), yield* PlaceFields.newest(visitor))
    const fresh = Fields.fresh({ kind: PlaceFields.firstKind(places), radius_m: String(Place.DEFAULT_RADIUS_M) })
    // A refused form is shown again even when the account can have no further place. Otherwise the person would lose
    // what they typed.
    const isFull = places.length >= AccountLimits.PLACES.most && form === null
    return { map, view: { form: form ?? fresh, map: map.html, added: added?.label ?? null, isFull } }
  })

const refused = (form: Form.Form, problems: Fields.Shown["problems"]): NewPlaceResult => ({
  form: Form.shown(form, problems),
  added: null
})

/**
 * Adds the typed place. When the person reloads the page, the browser sends the form again, and the service still adds
 * only one place.
 */
export const add = (visitor: Visitor.Visitor, form: Form.Form) =>
  Effect.gen(function* () {
    const typed = PlaceFields.decode(form)
    if (Either.isLeft(typed)) return refused(form, typed.left)
    const draft = PlaceFields.draftOf(typed.right)
    const twin = yield* PlaceFields.sameAs(draft, visitor)
    if (twin !== undefined) return { form: null, added: twin }
    yield* RateOfAccount.take(RateOfAccount.CREATION, visitor.account.id)
    return yield* createPlace(visitor.account.id, draft).pipe(
      Effect.map((added): NewPlaceResult => ({ form: null, added })),
      Effect.catchTag("Conflict", ({ reason }) =>
        Effect.succeed(refused(form, [{ field: "label", message: words.cannotBeAdded(ofDomain(reason)) }]))
      )
    )
  })
