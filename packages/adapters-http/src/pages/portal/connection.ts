import { disconnect, getConnection, listUses, sharePlaces, type Uses } from "@place-access/domain/connection"
import { listDevices } from "@place-access/domain/devices"
import { listPlaces, type Place } from "@place-access/domain/places"
import { listOwnVolumeFlags, type ReadableFlag } from "@place-access/domain/purposes"
import { listRulesOfUser, type RulesPage } from "@place-access/domain/rules"
import { ConnectionId, PlaceId } from "@place-access/domain/shared"
import { findLostExactLocation } from "@place-access/domain/steering"
import { Effect, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as Errors from "../../wire/Errors.js"
import * as Fields from "../kit/Fields.js"
import * as Removal from "../kit/Removal.js"
import * as Form from "../kit/Form.js"
import { type Html, html, webAddress } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { allowed, badge, type ListedConnection, endedBadge, facts } from "./connections.js"
import { notice } from "./notices.js"
import * as AppLogo from "../appLogo.js"
import * as PlacesPart from "../consent/placesPart.js"
import * as Addresses from "../steering/addresses.js"
import * as controls from "../steering/controls.js"
import { marks } from "../steering/marks.js"
import { sentence, stateBadge } from "./ruleWords.js"

const words = texts.portal.connection

const connectionId = param("connection", ConnectionId, "connection")

interface RejectedForm {
  readonly problems?: Fields.Shown["problems"]
  /**
   * 409 when the connection was changed after the form was opened. Left out otherwise: the status is then 400 if there
   * are problems, and 200 if there are none.
   */
  readonly status?: 409
  /** The form of permissions, as it was posted. */
  readonly permissions?: Parameters<typeof controls.permissions>[3]
  /** The form of places, as it was posted. */
  readonly ticked?: TickedPlaces
}

/**
 * The ids of the places whose boxes are ticked. `shared`: the place is shared. `earlier`: visits from before the
 * sharing are shared too. `was`: the sharing when the page showed the form, from its hidden fields.
 */
interface TickedPlaces extends Readonly<Record<"shared" | "earlier", ReadonlySet<string>>> {
  readonly was: Readonly<Record<"shared" | "earlier", string>>
}

/**
 * The result for a form that was opened before the connection was changed: the page shows the connection as it is now
 * (decision connection-10).
 */
export const OUTDATED: RejectedForm = { problems: [Fields.OUTDATED_ANEW], status: 409 }

export const detail = (
  portal: string,
  visitor: Visitor.Visitor,
  id: ConnectionId,
  { permissions, problems = [], status, ticked }: RejectedForm = {}
) =>
  Effect.gen(function* () {
    const connection = yield* getConnection(visitor.account.id, id)
    const places = yield* listPlaces(visitor.account.id)
    const query = yield* Form.query
    const cursor = query.value("rules")
    const rules = yield* rulesPage(visitor, id, cursor)
    const phones = yield* listDevices(visitor.account.id)
    const uses = yield* listUses(visitor.account.id, id)
    const token = yield* Visitor.tokenFor(visitor)
    const done = query.value("done")
    const lost = controls.isBeforeUndo(done) ? yield* findLostExactLocation(visitor.account.id, id) : null
    return yield* respond({
      title: connection.app.name,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/connections`,
      width: "middle",
      status: status ?? (problems.length === 0 ? 200 : 400),
      main: html`<p><a href="${portal}/connections">${texts.portal.connections.title}</a></p>
        <h1 class="named">${AppLogo.icon(connection.app)}${connection.app.name}</h1>
        <p class="lead">${connection.app.description}</p>
        ${
          lost !== null && controls.isBeforeUndo(done) && connection.live
            ? controls.undoEndOfExact(portal, connection, { done, lost, token })
            : notice(done)
        }
        ${connection.live && phones.length === 0 && noPhone(portal)}
        ${Fields.problems({ values: () => "", problems }, { places: words.places.field, ...controls.LABELS })}
        <section class="card" aria-labelledby="about">
          <header>
            <h2 id="about">${words.about}</h2>
            ${connection.live ? html`<span>${controls.pausedBadge(connection)}${marks(connection)}${badge(connection)}</span>` : endedBadge(connection)}
          </header>
          ${
            connection.live &&
            controls.now(
              portal,
              connection,
              token,
              html`${consequences(connection, rules.rules.length > 0)}
                <form method="post" action="${portal}/connections/${id}/disconnect">
                  ${Fields.hidden("form_token", token)}<button class="danger">
                    ${words.disconnect(connection.app.name)}
                  </button>
                </form>`
            )
          }
          <dl>
            ${facts(connection)}
            ${
              connection.app.homepageUrl !== null &&
              html`<dt>${words.webPage}</dt>
                <dd>
                  <a href="${webAddress(connection.app.homepageUrl)}" rel="noopener noreferrer"
                    >${connection.app.homepageUrl}</a
                  >
                </dd>`
            }
          </dl>
          <p class="actions"><a href="${portal}/connections/${id}/history">${words.history}</a></p>
        </section>
        <section class="card" aria-labelledby="may">
          <h2 id="may">${connection.live ? words.can : words.could}</h2>
          ${
            connection.live && connection.agreedScopes.length + connection.limitedScopes.length > 0
              ? controls.permissions(portal, connection, token, permissions)
              : allowed(connection)
          }
        </section>
        ${used(portal, connection, uses, yield* flagsOf(visitor, connection))}
        ${
          connection.live &&
          html`${sharing(portal, connection, places, { token, ticked, problems })}
          ${ruleList(portal, connection, { ...rules, isFirst: cursor === "" }, token)}
          ${Addresses.section(portal, connection, yield* Addresses.list(visitor, id), token)}`
        }`
    })
  })

/** Without a phone, the app learns no new location. So this note leads to the set-up of a phone. */
const noPhone = (portal: string): Html =>
  html`<div class="note">
    <p>${words.noPhone.text}</p>
    <p><a class="button" href="${portal}/devices">${words.noPhone.setUp}</a></p>
  </div>`

/**
 * To find the volume flags (`VolumeFlag`) of one connection, the service reads `FLAGS` flags of the person at a time,
 * at most `FLAG_PAGES` times.
 */
const FLAGS = 50
const FLAG_PAGES = 10

/**
 * Reads the person's flags page by page, until a page has flags of this connection. Returns the flags of this
 * connection on that page (decision purposes-5).
 */
const flagsOf = ({ account }: Visitor.Visitor, { id }: ListedConnection) =>
  Effect.gen(function* () {
    let cursor: string | undefined
    for (let page = 1; page <= FLAG_PAGES; page++) {
      // Only a wrong cursor makes this call fail with `Invalid`. Every cursor comes from the previous call, so this
      // failure would be a bug.
      const read = Effect.catchTag(listOwnVolumeFlags(account, { limit: FLAGS, cursor }), "Invalid", Effect.die)
      const { flags, nextCursor } = yield* read
      const found = flags.filter(({ connectionId }) => connectionId === id)
      if (found.length > 0 || nextCursor === null) return found
      cursor = nextCursor
    }
    return []
  })

const flagged = ({ appName, calls, expectedDailyVolume, from, purposeDescription, to }: ReadableFlag): Html => {
  const { heading, text } = texts.accessLog.flagged
  return html`<div class="note warn">
    <h3>${heading(appName)}</h3>
    <p>${text(calls, time(from), time(to), purposeDescription, expectedDailyVolume)}</p>
  </div>`
}

const used = (
  portal: string,
  { app }: ListedConnection,
  { byPurpose, since, withoutPurpose }: Uses.Uses,
  flags: ReadonlyArray<ReadableFlag>
): Html => {
  const times = (count: number) => (count === 0 ? words.used.never : words.used.times(count))
  return html`<section class="card" aria-labelledby="used">
    <h2 id="used">${words.used.heading}</h2>
    ${flags
      .filter(({ to }) => to >= since)
      .slice(0, 1)
      .map(flagged)}
    <p class="soft">${words.used.lead(time(since))}</p>
    <ul class="plain counts">
      <li><strong>${times(withoutPurpose)}</strong> <span>${words.used.places}</span></li>
      ${byPurpose.map(
        ({ count, description }) =>
          html`<li><strong>${times(count)}</strong> <span>${words.used.exact(description)}</span></li>`
      )}
    </ul>
    <p><a href="${portal}/access-log?app=${app.id}">${words.used.log}</a></p>
  </section>`
}

const consequences = ({ app }: ListedConnection, hasRules: boolean): Html =>
  html`<ul>
    <li>${words.consequences.asks(app.name)}</li>
    ${hasRules && html`<li>${words.consequences.rules}</li>`}
    <li>${words.consequences.places}</li>
    <li>${words.consequences.kept}</li>
    <li>${words.consequences.undo}</li>
  </ul>`

const ticksOf = ({ places }: ListedConnection): TickedPlaces => {
  const shared = places.map(({ placeId }) => placeId)
  const earlier = places.flatMap(({ includeEarlierVisits, placeId }) => (includeEarlierVisits ? [placeId] : []))
  return {
    shared: new Set(shared),
    earlier: new Set(earlier),
    was: { shared: shared.join(" "), earlier: earlier.join(" ") }
  }
}

const sharing = (
  portal: string,
  connection: ListedConnection,
  places: ReadonlyArray<Place.Place>,
  {
    problems,
    ticked = ticksOf(connection),
    token
  }: {
    readonly token: string
    readonly ticked: TickedPlaces | undefined
    readonly problems: Fields.Shown["problems"]
  }
): Html => {
  const form: Fields.Shown = { values: () => "", problems }
  const present = places.filter(({ archivedAt }) => archivedAt === null)
  return html`<section class="card" aria-labelledby="where">
    <h2 id="where">${words.places.heading}</h2>
    ${
      present.length === 0
        ? html`<p id="places">
            ${(places.length === 0 ? words.places.none : words.places.allArchived)(`${portal}/places`)}
          </p>`
        : html`<form method="post" action="${portal}/connections/${connection.id}/places">
            ${Fields.hidden("form_token", token)}${Fields.hidden("was_shared", ticked.was.shared)}
            ${Fields.hidden("was_earlier", ticked.was.earlier)}
            <fieldset id="places" ${Fields.describedByFaults(form, "places")}>
              <legend>${words.places.legend}</legend>
              ${connection.heldScopes.includes("location.place.lookup") && PlacesPart.LOOKUP}
              ${Fields.groupFault(form, "places", words.places.field)}
              <div class="choices">
                ${present.map(
                  (place) =>
                    html`<div class="choice">
                      ${Fields.tick({ name: "place", value: place.id, id: `place-${place.id}`, isTicked: ticked.shared.has(place.id) })}
                      <div>
                        <label for="place-${place.id}"
                          >${place.label} <span class="soft small">${texts.places.kinds[place.kind]}</span></label
                        >
                        <div class="also">
                          ${Fields.tick({
                            name: "earlier",
                            value: place.id,
                            id: `earlier-${place.id}`,
                            isTicked: ticked.earlier.has(place.id)
                          })}<label for="earlier-${place.id}">${words.places.earlier(place.label)}</label>
                        </div>
                      </div>
                    </div>`
                )}
              </div>
            </fieldset>
            <button class="second">${words.places.save}</button>
          </form>`
    }
  </section>`
}

const RULES = 50

/** One page of the rules; the first page when somebody has changed the cursor in the address. */
const rulesPage = (visitor: Visitor.Visitor, id: ConnectionId, cursor: string) => {
  const from = (cursor: string | undefined) => listRulesOfUser(visitor.account.id, id, { limit: RULES, cursor })
  return Effect.catchTag(from(cursor === "" ? undefined : cursor), "Invalid", () => from(undefined))
}

const ruleList = (
  portal: string,
  { app, id }: ListedConnection,
  { isFirst, nextCursor, rules }: RulesPage & { readonly isFirst: boolean },
  token: string
): Html =>
  html`<section class="card" aria-labelledby="rules">
    <h2 id="rules">${words.rules.heading}</h2>
    ${
      rules.length === 0
        ? html`<p>${words.rules.none}</p>`
        : html`<ul class="plain choices">
            ${rules.map(
              (rule) =>
                html`<li class="choice">
                  <div>
                    <p id="rule-${rule.id}">${sentence(rule, app.name)} ${stateBadge(rule)}</p>
                    <p>
                      <a href="${portal}/connections/${id}/rules/${rule.id}" aria-describedby="rule-${rule.id}"
                        >${words.rules.why}</a
                      >
                    </p>
                    ${Removal.form({
                      action: `${portal}/connections/${id}/rules/${rule.id}/remove`,
                      token,
                      named: `rule-${rule.id}`,
                      button: words.rules.remove,
                      consequence: words.rules.removed(app.name)
                    })}
                  </div>
                </li>`
            )}
          </ul>`
    }
    ${
      (!isFirst || nextCursor !== null) &&
      html`<p class="actions">
        ${!isFirst && html`<a href="${portal}/connections/${id}#rules">${words.rules.oldest}</a>`}
        ${
          nextCursor !== null &&
          html`<a href="${portal}/connections/${id}?${new URLSearchParams({ rules: nextCursor }).toString()}#rules"
            >${words.rules.more}</a
          >`
        }
      </p>`
    }
  </section>`

const show = (portal: string) =>
  Visitor.signedIn((visitor) => Effect.flatMap(connectionId, (id) => detail(portal, visitor, id)))

const end = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      yield* disconnect(visitor.account.id, yield* connectionId)
      return seeOther(`${portal}/connections?done=disconnected`)
    })
  )

const PlaceIds = Schema.Array(PlaceId)

const choices = (ids: ReadonlyArray<string>, earlier: ReadonlySet<string>) =>
  ids.map((placeId) => ({ placeId, includeEarlierVisits: earlier.has(placeId) }))

/** The ids in a hidden field. */
const listed = (field: string): ReadonlyArray<string> => field.split(" ").filter((id) => id !== "")

const share = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const id = yield* connectionId
      const ids = yield* Effect.mapError(Schema.decode(PlaceIds)(form.all("place")), () =>
        Errors.invalidRequest("The form names a place that does not exist")
      )
      const earlier = new Set(form.all("earlier"))
      const was = { shared: form.value("was_shared"), earlier: form.value("was_earlier") }
      const [places, shown] = [choices(ids, earlier), choices(listed(was.shared), new Set(listed(was.earlier)))]
      return yield* sharePlaces(visitor.account.id, id, places, shown).pipe(
        Effect.as(seeOther(`${portal}/connections/${id}?done=shared`)),
        Effect.catchTag("Invalid", ({ problems }) =>
          detail(portal, visitor, id, { problems, ticked: { shared: new Set(ids), earlier, was } })
        ),
        Effect.catchIf(Form.isOutdated, () => detail(portal, visitor, id, OUTDATED))
      )
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [
    Routes.get(`${portal}/connections/:connection`, show(portal)),
    Routes.post(`${portal}/connections/:connection/disconnect`, end(portal)),
    Routes.post(`${portal}/connections/:connection/places`, share(portal))
  ]
}
