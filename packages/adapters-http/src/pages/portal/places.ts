import { archivePlace } from "@place-access/domain/connection"
import { createPlace, listPlaces, Place, updatePlace } from "@place-access/domain/places"
import { AccountLimits } from "@place-access/domain/quotas"
import { PlaceId } from "@place-access/domain/shared"
import { type PlaceCard, readPlaceCards } from "@place-access/domain/timeline"
import { Effect, Either } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Errors from "../../wire/Errors.js"
import { texts } from "../../languages/index.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import * as Map from "../kit/Map.js"
import * as PlaceFields from "../kit/PlaceFields.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { count, ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { nearestTown } from "../land/Land.js"
import { miniMap } from "../land/miniMap.js"
import { notice } from "./notices.js"

const words = texts.places

/**
 * The values of the form for a new place. The query may contain a position: the timeline and the page Today link to
 * this form with a position.
 */
const freshAt = (query: Form.Form, places: ReadonlyArray<Place.Place>): Fields.Shown => {
  const position = (name: "lat" | "lon") => (/^-?\d{1,3}\.\d{1,8}$/.test(query.value(name)) ? query.value(name) : "")
  return Fields.fresh({
    kind: PlaceFields.firstKind(places),
    radius_m: String(Place.DEFAULT_RADIUS_M),
    lat: position("lat"),
    lon: position("lon")
  })
}

const list = (portal: string, visitor: Visitor.Visitor, rejected?: Fields.Shown) =>
  Effect.gen(function* () {
    const { cards, isWhole, places } = yield* readPlaceCards(visitor.account.id)
    const query = yield* Form.query
    const form = rejected ?? freshAt(query, places)
    const token = yield* Visitor.tokenFor(visitor)
    const present = cards.map(({ place }) => place)
    const archived = places.filter(({ archivedAt }) => archivedAt !== null)
    const map = yield* Map.make(present.map(PlaceFields.circle), yield* PlaceFields.newest(visitor))
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/places`,
      status: form.problems.length === 0 ? 200 : 400,
      map: map.needs,
      main: html`<h1>${words.title}</h1>
        <p class="lead">${words.lead}</p>
        ${form.problems.length === 0 && notice(query.value("done"))} ${Fields.problems(form, PlaceFields.LABELS)}
        ${
          present.length === 0
            ? html`<p class="empty">${archived.length === 0 ? words.none : words.allArchived}</p>`
            : html`<ul class="plain grid">
                ${cards.map((one) => card(portal, one, { token, unvisited: isWhole ? words.never : words.notLately }))}
              </ul>`
        }
        ${
          // A refused form is shown again even when the account can have no further place. Otherwise the person would
          // lose what they typed.
          present.length < AccountLimits.PLACES.most || rejected !== undefined
            ? html`<section class="card" aria-labelledby="new">
                <h2 id="new">${words.add.heading}</h2>
                <form class="with-map" method="post" action="${portal}/places">
                  ${yield* Visitor.tokenFields(visitor)}${PlaceFields.fields(form, map.html)}
                  <button>${words.add.button}</button>
                </form>
              </section>`
            : html`<p class="soft" id="new">${words.noMore(AccountLimits.PLACES.most)}</p>`
        }
        ${
          archived.length > 0 &&
          html`<h2>${words.archived}</h2>
            <ul>
              ${archived.map(
                (place) =>
                  html`<li>
                    ${place.label}
                    ${place.archivedAt !== null && html`<span class="soft">${words.archivedPlace(words.kinds[place.kind], time(place.archivedAt))}</span>`}
                  </li>`
              )}
            </ul>`
        }`
    })
  })

/**
 * A coordinate with six decimals, which is exact to a tenth of a metre. A place that was made with the API may have
 * more decimals.
 */
const degrees = (coordinate: number): string => String(Number(coordinate.toFixed(6)))

const card = (
  portal: string,
  { lastVisit, place, sharedWith }: PlaceCard.PlaceCard,
  // `unvisited`: the text of a place's card when the place has no last visit.
  { token, unvisited }: { readonly token: string; readonly unvisited: Html }
): Html => {
  const town = nearestTown(place.circle)
  return html`<li class="card">
    ${miniMap(place.circle)}
    <header>
      <h2>${place.label}</h2>
      <span class="badge quiet">${words.kinds[place.kind]}</span>
    </header>
    <dl>
      <dt>${words.sharedWith}</dt>
      <dd>
        ${
          sharedWith.length === 0
            ? words.noApp
            : sharedWith.map(
                ({ app, id }, index) => html`${index > 0 && ", "}<a href="${portal}/connections/${id}">${app.name}</a>`
              )
        }
      </dd>
      <dt>${words.lastThere}</dt>
      <dd>${lastVisit === null ? unvisited : lastThere(portal, lastVisit)}</dd>
      ${
        town !== null &&
        html`<dt>${words.near}</dt>
          <dd>${town}</dd>`
      }
      <dt>${words.centre}</dt>
      <dd>${degrees(place.circle.lat)}, ${degrees(place.circle.lon)}</dd>
      <dt>${words.radius}</dt>
      <dd>${count(place.circle.radiusM)} m</dd>
    </dl>
    <p class="actions">
      <a class="button second" href="${portal}/places/${place.id}" aria-label="${words.change}: ${place.label}"
        >${words.change}</a
      >
    </p>
    <details>
      <summary>${words.archive.button(place.label)}</summary>
      <form method="post" action="${portal}/places/${place.id}/archive">
        ${Fields.hidden("form_token", token)}
        <p>${words.archive.text}</p>
        <button class="danger">${words.archive.button(place.label)}</button>
      </form>
    </details>
  </li>`
}

const lastThere = (portal: string, { arrival, end, place }: NonNullable<PlaceCard.PlaceCard["lastVisit"]>): Html =>
  html`<a href="${portal}/timeline/places/${place.id}"
    >${end.kind === "still" ? words.since(time(arrival)) : time(end.at)}</a
  >`

const create = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const typed = PlaceFields.decode(form)
      if (Either.isLeft(typed)) return yield* list(portal, visitor, Form.shown(form, typed.left))
      const draft = PlaceFields.draftOf(typed.right)
      const done = seeOther(`${portal}/places?done=place-created`)
      if ((yield* PlaceFields.sameAs(draft, visitor)) !== undefined) return done
      yield* RateOfAccount.take(RateOfAccount.CREATION, visitor.account.id)
      return yield* createPlace(visitor.account.id, draft).pipe(
        Effect.as(done),
        Effect.catchTag("Conflict", ({ reason }) =>
          list(portal, visitor, Form.shown(form, [{ field: "label", message: words.refused(ofDomain(reason)) }]))
        )
      )
    }).pipe(Visitor.showingAgain(visitor, (form) => list(portal, visitor, form)))
  )

const placeId = param("place", PlaceId, "place")

/**
 * How the page shows a form again. `rejected`: the form as it was posted. `isOutdated`: the place was changed after the
 * form was opened, so the page shows the place as it is now.
 */
interface EditForm {
  readonly rejected?: Fields.Shown
  readonly isOutdated?: true
}

const edit = (portal: string, visitor: Visitor.Visitor, id: PlaceId, { isOutdated, rejected }: EditForm = {}) =>
  Effect.gen(function* () {
    const present = (yield* listPlaces(visitor.account.id)).filter(({ archivedAt }) => archivedAt === null)
    const place = present.find((one) => one.id === id)
    if (place === undefined) return yield* Effect.fail(Errors.notFound("place"))
    const { circle: before, geometryVersion, kind, label } = place
    const map = yield* Map.make(
      present.filter((one) => one !== place).map(PlaceFields.circle),
      yield* PlaceFields.newest(visitor)
    )
    const form =
      rejected ??
      Fields.fresh({
        label,
        kind,
        lat: String(before.lat),
        lon: String(before.lon),
        radius_m: String(before.radiusM),
        was_label: label,
        was_kind: kind,
        was_version: String(geometryVersion)
      })
    const problems = isOutdated === true ? [Fields.OUTDATED_ANEW] : form.problems
    return yield* respond({
      title: words.edit.title(label),
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/places`,
      width: "middle",
      status: isOutdated === true ? 409 : problems.length === 0 ? 200 : 400,
      map: map.needs,
      main: html`<p><a href="${portal}/places">${words.title}</a></p>
        <h1>${words.edit.title(label)}</h1>
        ${Fields.problems({ ...form, problems }, PlaceFields.LABELS)}
        <p class="note">${words.edit.hint}</p>
        <form class="card" method="post" action="${portal}/places/${id}">
          ${yield* Visitor.tokenFields(visitor)}
          ${["was_label", "was_kind", "was_version"].map((name) => Fields.hidden(name, form.values(name)))}
          ${PlaceFields.fields(form, map.html)}<button>${words.edit.save}</button>
        </form>`
    })
  })

const show = (portal: string) =>
  Visitor.signedIn((visitor) => Effect.flatMap(placeId, (id) => edit(portal, visitor, id)))

const change = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const id = yield* placeId
      const draft = PlaceFields.decode(form)
      if (Either.isLeft(draft)) return yield* edit(portal, visitor, id, { rejected: Form.shown(form, draft.left) })
      const { radius_m: radiusM, ...rest } = draft.right
      const before = (yield* listPlaces(visitor.account.id)).find((one) => one.id === id)
      const after = before && Place.edited(before, { ...rest, radiusM })
      const isMove = after?.geometryVersion !== before?.geometryVersion
      if (isMove) yield* RateOfAccount.take(RateOfAccount.CREATION, visitor.account.id)
      const shown = {
        label: form.value("was_label"),
        kind: form.value("was_kind"),
        geometryVersion: Number(form.value("was_version"))
      }
      return yield* updatePlace(visitor.account.id, id, { ...rest, radiusM }, shown).pipe(
        Effect.as(seeOther(`${portal}/places?done=place-changed`)),
        Effect.catchIf(Form.isOutdated, () => edit(portal, visitor, id, { isOutdated: true }))
      )
    }).pipe(
      Visitor.showingAgain(visitor, (rejected) =>
        Effect.flatMap(placeId, (id) => edit(portal, visitor, id, { rejected }))
      )
    )
  )

const archive = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      yield* archivePlace(visitor.account.id, yield* placeId)
      return seeOther(`${portal}/places?done=place-archived`)
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(
      `${portal}/places`,
      Visitor.signedIn((visitor) => list(portal, visitor))
    ),
    Routes.post(`${portal}/places`, create(portal)),
    Routes.get(`${portal}/places/:place`, show(portal)),
    Routes.post(`${portal}/places/:place`, change(portal)),
    Routes.post(`${portal}/places/:place/archive`, archive(portal))
  ]
}
