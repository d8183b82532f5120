import { Account } from "@place-access/domain/accounts"
import { Rate, Subject } from "@place-access/domain/limits"
import { Coordinates } from "@place-access/domain/places"
import { AccountLimits } from "@place-access/domain/quotas"
import { App as AppModule } from "@place-access/domain/apps"
import { type Invalid, Scope, Timestamp, UserId } from "@place-access/domain/shared"
import {
  listTestPeople,
  type MadeTestPerson,
  makeTestPerson,
  readLog,
  removeTestPerson,
  simulateTrip,
  TestPerson,
  Trip,
  type TripRequest
} from "@place-access/domain/test-people"
import { Effect, Either, Option, Schema } from "effect"
import { HttpOptions } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import * as RateLimit from "../../limits/RateLimit.js"
import * as RateOfAccount from "../../security/RateOfAccount.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { commas, flag, type Html, html, type Text, type Value } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Removal from "../kit/Removal.js"
import * as Routes from "../kit/Routes.js"
import { ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import * as OneFile from "./oneFile.js"
import { appHead, appPath, DEVELOPER, ownApp, scopeBoxes, type TeamApp } from "./shared.js"
import * as TripForm from "./tripForm.js"

const words = texts.testPeople

const LABELS = words.labels
const LOG_MIB = Trip.LOG_BYTES / 1_048_576

/** The values with which the page fills the form for a new test person. */
const SUGGESTED = {
  name: TestPerson.SUGGESTED.name,
  lat: String(TestPerson.SUGGESTED.lat),
  lon: String(TestPerson.SUGGESTED.lon)
}

interface FormResult {
  readonly form?: Fields.Shown
  readonly ticked?: ReadonlyArray<string>
  /** The trip form of one test person, as it was posted. */
  readonly trip?: { readonly person: UserId; readonly form: Form.Form }
}

const list = (visitor: Visitor.Visitor, app: TeamApp, { form, ticked, trip }: FormResult = {}) =>
  Effect.gen(function* () {
    const people = yield* listTestPeople(app)
    const token = yield* Visitor.tokenFor(visitor)
    const query = yield* Form.query
    const shown = form ?? Fields.fresh(SUGGESTED)
    const unavailable = TestPerson.unavailable(app)
    const isFull = people.length >= AccountLimits.TEST_PEOPLE.most
    return yield* respond({
      title: words.titleOf(app.name),
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      status: form === undefined ? 200 : 400,
      main: html`${appHead(app, "/test-people")}
        ${form === undefined && (sentNote(app, query) || notice(query.value("done")))}
        ${Fields.problems(shown, labelsWith(people))}
        <p class="lead">${words.lead}</p>
        ${
          people.length === 0
            ? html`<p class="empty">${words.empty}</p>`
            : html`<ul class="plain">
                ${people.map((person) =>
                  card(app, person, token, {
                    values: trip?.person === person.id ? trip.form.value : undefined,
                    problems: shown.problems
                  })
                )}
              </ul>`
        }
        ${
          unavailable !== undefined
            ? html`<p class="soft">${unavailableText(unavailable)}</p>`
            : isFull
              ? html`<p class="soft">${words.noMore(AccountLimits.TEST_PEOPLE.most)}</p>`
              : newPerson(app, token, shown, ticked ?? suggestedScopes(app))
        }`
    })
  })

const unavailableText = (reason: string): Value =>
  reason === TestPerson.IN_PRODUCTION ? words.notInProduction : words.unavailable(ofDomain(reason))

/**
 * The scopes that are ticked at first: all scopes of the app that are not sensitive. A sensitive scope needs a purpose,
 * so a developer whose app has a purpose ticks the sensitive scope by hand.
 */
const suggestedScopes = (app: TeamApp): ReadonlyArray<string> =>
  AppModule.scopes(app).filter((scope) => !Scope.isSensitive(scope))

/** The labels of the fields for a new person, and of the fields in each person's trip form. */
const labelsWith = (people: ReadonlyArray<TestPerson.TestPerson>): Readonly<Record<string, Text>> => ({
  ...LABELS,
  ...Object.fromEntries(
    people.flatMap(({ id }) =>
      Object.entries(LABELS).map(([field, label]) => [TripForm.fieldOf(field, id), label] as const)
    )
  )
})

const newPerson = (app: TeamApp, token: string, form: Fields.Shown, ticked: ReadonlyArray<string>): Html =>
  html`<section class="card" aria-labelledby="new">
    <h2 id="new">${words.add}</h2>
    <p>${words.addText}</p>
    <form method="post" action="${appPath(app)}/test-people">
      ${Fields.hidden("form_token", token)}
      ${Fields.input(form, { name: "name", label: LABELS.name, hint: words.nameHint, maxlength: 80 })}
      ${Fields.input(form, { name: "lat", label: LABELS.lat, hint: words.homeHint, inputmode: "decimal" })}
      ${Fields.input(form, { name: "lon", label: LABELS.lon, inputmode: "decimal" })}
      ${scopeBoxes(form, "scopes", AppModule.scopes(app), ticked, words.scopesHint)}
      <button>${words.make}</button>
    </form>
  </section>`

const card = (app: TeamApp, person: TestPerson.TestPerson, token: string, trip: TripForm.ShownTrip): Html => {
  const path = `${appPath(app)}/test-people/${person.id}`
  return html`<li class="card" id="${person.id}">
    <header>
      <h2>${person.name}</h2>
    </header>
    <dl>
      <dt>${words.made}</dt>
      <dd>${time(person.createdAt)}</dd>
      <dt>${words.places}</dt>
      <dd>${commas(person.places.map(({ label }) => label))}</dd>
      <dt><code>grant_id</code></dt>
      <dd>${person.connectionId === null ? words.ended : html`<code>${person.connectionId}</code>`}</dd>
      <dt>${words.lastReading}</dt>
      <dd>${person.lastReadingAt === null ? words.noReading : time(person.lastReadingAt)}</dd>
    </dl>
    ${TestPerson.unavailable(app) === undefined && sending(path, person, token, trip)}
    <details>
      <summary>${words.remove}</summary>
      <form method="post" action="${path}/remove">
        ${Fields.hidden("form_token", token)}
        <p>${words.removeText}</p>
        <button class="danger">${words.removeButton}</button>
      </form>
    </details>
  </li>`
}

/**
 * The two forms that send readings. A page shows these forms only while the app may have test people, because the
 * service would otherwise refuse them.
 */
const sending = (path: string, person: TestPerson.TestPerson, token: string, trip: TripForm.ShownTrip): Html =>
  html`<h3>${words.trip}</h3>
  <p class="soft">${words.tripText}</p>
  ${TripForm.form(path, person, token, trip)}
  <details${flag(
    "open",
    trip.problems.some(({ field }) => field === TripForm.fieldOf("file", person.id))
  )}>
    <summary>${words.log}</summary>
    <form method="post" action="${path}/logs" enctype="multipart/form-data">
      ${Fields.hidden("form_token", token)}
      <p>${words.logText(Trip.LOG_READINGS.most, LOG_MIB)}</p>
      ${Fields.file(
        { values: () => "", problems: trip.problems },
        {
          name: "file",
          id: TripForm.fieldOf("file", person.id),
          label: LABELS.file,
          faultLabel: LABELS.file
        }
      )}
      <button class="second">${words.sendLog}</button>
    </form>
  </details>`

/** The page that shows the tokens of a new test person. No later page shows these tokens again. */
const madePage = (visitor: Visitor.Visitor, app: TeamApp, { person, phoneToken, tokens }: MadeTestPerson) =>
  Effect.gen(function* () {
    const { baseUrl } = yield* HttpOptions
    return yield* respond({
      title: words.madeTitle,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      width: "middle",
      main: html`<h1>${words.madeTitle}</h1>
        <div class="note warn">
          <p><strong>${words.shownOnce}</strong> ${words.shownOnceText}</p>
        </div>
        <section class="card" aria-labelledby="tokens">
          <h2 id="tokens">${person.name}</h2>
          <h3>${words.accessToken}</h3>
          <code class="secret" data-testid="access-token">${tokens.accessToken}</code>
          <h3>${words.refreshToken}</h3>
          <code class="secret" data-testid="refresh-token">${tokens.refreshToken}</code>
          <h3>${words.phoneToken}</h3>
          <code class="secret" data-testid="phone-token">${phoneToken}</code>
          <h3>${words.tryIt}</h3>
          <code class="secret">curl -H "Authorization: Bearer ${tokens.accessToken}" ${baseUrl}/v1/me</code>
          <dl>
            ${person.places.map(
              ({ id, label }) =>
                html`<dt>${label}</dt>
                  <dd><code>${id}</code></dd>`
            )}
          </dl>
        </section>
        <p><a class="button" href="${appPath(app)}/test-people">${words.kept}</a></p>`
    })
  })

const show = Visitor.signedIn((visitor) => Effect.flatMap(ownApp(visitor, "develop"), (app) => list(visitor, app)))

const Draft = Schema.Struct({
  name: Account.DisplayName,
  lat: Form.Number(Coordinates.Latitude),
  lon: Form.Number(Coordinates.Longitude),
  scopes: Scope.listOf(Scope.Scope)
})

const add = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "develop")
    const ticked = form.all("scopes")
    const showAgain = (problems: Fields.Shown["problems"]) =>
      list(visitor, app, { form: Form.shown(form, problems), ticked })
    const draft = Form.decode(Draft, {
      name: form.value("name").trim(),
      lat: form.value("lat"),
      lon: form.value("lon"),
      scopes: ticked
    })
    if (Either.isLeft(draft)) return yield* showAgain(draft.left)
    const { lat, lon, name, scopes } = draft.right
    // The new person counts against the limit of the app's holder, as in the API. If it counted against the limit of
    // the visitor, a large team could exceed the limit.
    yield* RateOfAccount.take(RateOfAccount.CREATION, app.ownerId)
    return yield* makeTestPerson(app, { name, places: TestPerson.homeAndWork(lat, lon), scopes }).pipe(
      Effect.flatMap((made) => madePage(visitor, app, made)),
      Effect.catchTags({
        Invalid: ({ problems }) => showAgain(problems),
        Conflict: ({ reason }) => showAgain([{ field: "name", message: words.cannotBeMade(ofDomain(reason)) }])
      })
    )
  })
)

/** Shows the problems of a trip of the person in the path. Each problem links to the field in that person's form. */
const showTripAgain = (visitor: Visitor.Visitor, app: TeamApp, problems: Fields.Shown["problems"], sent?: Form.Form) =>
  Effect.flatMap(param("person", UserId, "test person"), (id) => {
    const own = problems.map(({ field, message }) => ({ field: TripForm.fieldOf(field, id), message }))
    return list(visitor, app, {
      form: { ...Fields.fresh(SUGGESTED), problems: own },
      ...(sent === undefined ? {} : { trip: { person: id, form: sent } })
    })
  })

const travel = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "develop")
    const trip = TripForm.requested(form)
    return yield* Either.isLeft(trip)
      ? showTripAgain(visitor, app, trip.left, form)
      : send(visitor, app, Effect.succeed(trip.right), form)
  })
)

const sendLog = Visitor.signedIn((visitor) => {
  const refused = (message: Text) =>
    Effect.flatMap(ownApp(visitor, "develop"), (app) => showTripAgain(visitor, app, [{ field: "file", message }]))
  return OneFile.receive(visitor, {
    most: Trip.LOG_BYTES,
    missing: refused(words.chooseLog),
    tooLarge: refused(words.logTooLarge(LOG_MIB)),
    use: (bytes) =>
      Effect.flatMap(ownApp(visitor, "develop"), (app) =>
        send(
          visitor,
          app,
          Effect.map(readLog(bytes), (readings): TripRequest => ({
            kind: "log",
            readings,
            field: "file",
            lateMinutes: 0
          }))
        )
      )
  })
})

/**
 * The note after a trip, from the numbers in the page's address. The answer to the form is a redirect to this page: if
 * the answer were the page itself, a reload would start the trip again, and rules would fire again.
 */
const sentNote = (app: TeamApp, query: Form.Form): Html | false => {
  const [readings, stored] = [query.value("readings"), query.value("stored")]
  const began = Schema.decodeOption(Timestamp.FromIso)(query.value("began"))
  return (
    [readings, stored].every((count) => /^\d{1,6}$/.test(count)) &&
    Option.isSome(began) &&
    html`<div class="note" role="status">
      <p>
        <strong>${words.sent(Number(readings))}</strong>
        ${words.began(time(began.value))} ${words.stored(Number(stored))}
        <a href="${appPath(app)}/deliveries">${words.toDeliveries}</a>
      </p>
    </div>`
  )
}

/**
 * Sends the phone of the person in the path on its trip. Then the page of the test people shows the result of the trip.
 */
const send = <R>(
  visitor: Visitor.Visitor,
  app: TeamApp,
  trip: Effect.Effect<TripRequest, Invalid, R>,
  sent?: Form.Form
) =>
  Effect.gen(function* () {
    const id = yield* param("person", UserId, "test person")
    return yield* Effect.gen(function* () {
      // A file that the service refuses after reading it counts against the limit too, because reading the file is most
      // of the work.
      yield* RateLimit.take(Subject.tripsOf(app.ownerId), Rate.TRIPS)
      const { from, ingested, readings } = yield* simulateTrip(app, id, yield* trip)
      const result = { readings: String(readings), stored: String(ingested.accepted), began: Timestamp.toIso(from) }
      return seeOther(`${appPath(app)}/test-people?${new URLSearchParams(result).toString()}`)
    }).pipe(
      Effect.catchTags({
        Invalid: ({ problems }) => showTripAgain(visitor, app, problems, sent),
        Conflict: ({ reason }) =>
          showTripAgain(visitor, app, [{ field: "trip", message: words.cannotTravel(ofDomain(reason)) }], sent)
      })
    )
  })

const remove = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    yield* Visitor.checked(visitor.cookie)
    const app = yield* ownApp(visitor, "develop")
    const id = yield* param("person", UserId, "test person")
    yield* Removal.once("test person", removeTestPerson(app, id))
    return seeOther(`${appPath(app)}/test-people?done=test-person-removed`)
  })
)

export const routes = [
  Routes.get(`${DEVELOPER}/apps/:app/test-people`, show),
  Routes.post(`${DEVELOPER}/apps/:app/test-people`, add),
  Routes.post(`${DEVELOPER}/apps/:app/test-people/:person/trips`, travel),
  Routes.post(`${DEVELOPER}/apps/:app/test-people/:person/logs`, sendLog),
  Routes.post(`${DEVELOPER}/apps/:app/test-people/:person/remove`, remove)
]
