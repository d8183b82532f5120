import type { App } from "@place-access/domain/apps"
import {
  archivePurpose,
  DeclaredScopes,
  listPurposes,
  Purpose,
  submitPurpose,
  updatePurpose
} from "@place-access/domain/purposes"
import { NotFound, PurposeId, Scope } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import { HttpOptions } from "../../HttpOptions.js"
import { texts } from "../../languages/index.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { flag, type Html, html } from "../../html/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { wording } from "../review/wording.js"
import * as Outdated from "./outdated.js"
import {
  appHead,
  appPath,
  confirmFirst,
  DEVELOPER,
  noteOf,
  ownApp,
  purposeBadge,
  scopeBoxes,
  type TeamApp
} from "./shared.js"

const words = texts.purposes

export const LABELS = {
  key: words.labels.key,
  purpose_description: words.labels.description,
  purpose_scopes: words.labels.scopes,
  expected_daily_volume: words.labels.volume
}

const terms = {
  purpose_description: Purpose.PurposeTerms.fields.description,
  purpose_scopes: Purpose.PurposeTerms.fields.scopes,
  expected_daily_volume: Form.WholeNumber(Purpose.PurposeTerms.fields.expectedDailyVolume)
}
const Edit = Schema.Struct(terms)
export const Draft = Schema.Struct({ key: Purpose.PurposeKey, ...terms })

export const typed = (form: Form.Form) => ({
  key: form.value("key").trim(),
  // The field shows several lines, so that people can read a long text. The text itself is one line, so line breaks
  // become blanks.
  purpose_description: form
    .value("purpose_description")
    .trim()
    .replace(/\s*\n\s*/g, " "),
  purpose_scopes: form.all("purpose_scopes"),
  expected_daily_volume: form.value("expected_daily_volume")
})

export const toTerms = (draft: typeof Edit.Type): Purpose.PurposeTerms => ({
  description: draft.purpose_description,
  scopes: draft.purpose_scopes,
  expectedDailyVolume: draft.expected_daily_volume
})

/**
 * The problems that the domain finds in a purpose whose fields are valid. The only such problem is a scope that the app
 * neither declares nor proposes, so the page shows the problem next to the scopes.
 */
export const undeclared = (problems: ReadonlyArray<FieldProblem>): ReadonlyArray<FieldProblem> =>
  problems.map(({ message }) => ({ field: "purpose_scopes", message }))

const fields = (
  app: TeamApp,
  form: Fields.Shown,
  ticked: ReadonlyArray<string>,
  held: ReadonlyArray<Scope.Scope> = []
): Html =>
  html` ${Fields.textarea(form, { name: "purpose_description", label: LABELS.purpose_description, hint: words.hints.description, maxlength: 200 })}
  ${scopeBoxes(
    form,
    "purpose_scopes",
    Scope.intersect(Scope.sensitive, [...DeclaredScopes.available(app), ...held]),
    ticked
  )}
  ${Fields.input(form, { name: "expected_daily_volume", label: LABELS.expected_daily_volume, hint: words.hints.volume, inputmode: "numeric" })}`

const pathOf = (app: Pick<App.App, "id">, purpose: Pick<Purpose.Purpose, "id">): string =>
  `${appPath(app)}/purposes/${purpose.id}`

const canSubmit = (app: TeamApp, { status }: Purpose.Purpose): boolean =>
  app.revokedAt === null && (status === "draft" || status === "rejected")

const submitForm = (app: TeamApp, purpose: Purpose.Purpose, token: string): Html | false =>
  canSubmit(app, purpose) &&
  html`<form method="post" action="${pathOf(app, purpose)}/submit">
    ${Fields.hidden("form_token", token)}${Fields.hidden("revision", String(purpose.revision))}
    <button class="second" aria-label="${words.submitOf(purpose.key)}">${words.submit}</button>
  </form>`

/** The app's purposes and the form for a new purpose, on the overview page of the app. */
export const section = (
  app: TeamApp,
  purposes: ReadonlyArray<Purpose.Purpose>,
  visitor: Visitor.Visitor,
  form: Fields.Shown,
  ticked: ReadonlyArray<string>
) =>
  Effect.map(
    Effect.all([Visitor.tokenFor(visitor), Visitor.tokenFields(visitor), Visitor.onceField]),
    ([token, tokens, once]) =>
      html`<section class="card" aria-labelledby="purposes">
        <h2 id="purposes">${words.heading}</h2>
        <p>${words.lead}</p>
        ${
          purposes.length > 0 &&
          html`<ul class="plain choices">
            ${purposes.map((purpose) => item(app, purpose, token))}
          </ul>`
        }
        ${
          app.revokedAt !== null
            ? html`<p class="soft">${words.revoked}</p>`
            : Scope.intersect(Scope.sensitive, DeclaredScopes.available(app)).length === 0
              ? html`<p class="soft">${words.needsNone}</p>`
              : html`<details${flag("open", form.problems.length > 0)}><summary>${words.add}</summary><form method="post" action="${appPath(app)}/purposes">${tokens}${once}
${Fields.input(form, { name: "key", label: LABELS.key, hint: words.hints.key, maxlength: 40 })}
${fields(app, form, ticked)}
<button>${words.addPurpose}</button></form></details>`
        }
      </section>`
  )

const item = (app: TeamApp, purpose: Purpose.Purpose, token: string): Html => {
  const { key, reviewNote, status, terms } = purpose
  const isArchived = status === "archived"
  const isFinal = isArchived || app.revokedAt !== null
  return html`<li class="item">
    <h3><code>${key}</code> ${purposeBadge(purpose, app)}</h3>
    <p>${terms.description}</p>
    <p class="soft small">${words.scopesAndVolume(terms.scopes, terms.expectedDailyVolume)}</p>
    ${!isArchived && noteOf(reviewNote, status === "rejected")}
    <div class="actions">
      <a
        class="button second"
        href="${pathOf(app, purpose)}"
        aria-label="${isFinal ? words.lookAt(key) : words.changeOf(key)}"
        >${isFinal ? words.look : words.change}</a
      >${submitForm(app, purpose, token)}
    </div>
  </li>`
}

/** The purpose whose id is in the address of the page. Fails with `NotFound` when the app has no such purpose. */
const ownPurpose = (visitor: Visitor.Visitor) =>
  Effect.gen(function* () {
    const app = yield* ownApp(visitor, "develop")
    const id = yield* param("purpose", PurposeId, "purpose")
    const purpose = (yield* listPurposes(visitor.account, app.id)).find((one) => one.id === id)
    return purpose === undefined ? yield* new NotFound({ what: "purpose" }) : { app, purpose }
  })

/** The form of a purpose, filled with its present terms. */
const fresh = ({ revision, terms }: Purpose.Purpose): Fields.Shown =>
  Fields.fresh({
    purpose_description: terms.description,
    expected_daily_volume: String(terms.expectedDailyVolume),
    revision: String(revision)
  })

const page = (
  visitor: Visitor.Visitor,
  app: TeamApp,
  purpose: Purpose.Purpose,
  rejected?: { readonly form: Fields.Shown; readonly ticked: ReadonlyArray<string>; readonly status?: 409 }
) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const token = yield* Visitor.tokenFor(visitor)
    const { key, reviewNote, status, submission, terms } = purpose
    const form = rejected?.form ?? fresh(purpose)
    return yield* respond({
      title: words.title(app.name, key),
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      status: rejected === undefined ? 200 : (rejected.status ?? 400),
      main: html`${appHead(app, "")}
        ${rejected === undefined ? notice(query.value("done")) : Fields.problems(rejected.form, LABELS)}
        <section class="card" aria-labelledby="state">
          <h2 id="state">${words.headingOf(key)} ${purposeBadge(purpose, app)}</h2>
          <p>
            ${state(app, purpose)}
            ${app.revokedAt === null && submission !== null && words.waitsSince(time(submission.at))}
          </p>
          ${noteOf(reviewNote, status === "rejected")} ${wording(purpose)}
          ${canSubmit(app, purpose) && html`<div class="actions">${submitForm(app, purpose, token)}</div>`}
        </section>
        ${status !== "archived" && app.revokedAt === null && html`${change(app, purpose, yield* Visitor.tokenFields(visitor), form, rejected?.ticked ?? terms.scopes)} ${archival(app, purpose, token)}`}`
    })
  })

/** The section with the state of the purpose and the next step. */
const state = (app: TeamApp, purpose: Purpose.Purpose): Html => {
  if (purpose.status === "archived") {
    return words.state.archived(time(purpose.archivedAt))
  }
  if (app.revokedAt !== null) return words.state.revoked
  const { approved, status } = purpose
  if (status === "approved") return words.state.approved
  const before =
    approved !== null
      ? words.state.staysInForce
      : app.status === "production"
        ? words.state.notBefore
        : words.state.meanwhile
  return html`${words.state.next[status]} ${before}`
}

const change = (
  app: TeamApp,
  purpose: Purpose.Live,
  tokens: Html,
  form: Fields.Shown,
  ticked: ReadonlyArray<string>
): Html =>
  html`<section class="card" aria-labelledby="change">
    <h2 id="change">${words.edit.heading}</h2>
    <p>${words.edit.after[purpose.status]} ${words.edit.keyStays}</p>
    <form method="post" action="${pathOf(app, purpose)}">
      ${tokens}${Fields.hidden("revision", form.values("revision"))}
      ${fields(app, form, ticked, purpose.terms.scopes)}<button>${words.edit.save}</button>
    </form>
  </section>`

const archival = (app: TeamApp, purpose: Purpose.Purpose, token: string): Html =>
  html`<section class="card" aria-labelledby="archive">
    <h2 id="archive">${words.archive.heading}</h2>
    <details>
      <summary>${words.archive.forGood(purpose.key)}</summary>
      <div>
        <p>${words.archive.text}</p>
        <form method="post" action="${pathOf(app, purpose)}/archive">
          ${Fields.hidden("form_token", token)}<button class="danger">${words.archive.archive}</button>
        </form>
      </div>
    </details>
  </section>`

const show = Visitor.signedIn((visitor) =>
  Effect.flatMap(ownPurpose(visitor), ({ app, purpose }) => page(visitor, app, purpose))
)

const edit = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const { app, purpose } = yield* ownPurpose(visitor)
    const { key: _, ...posted } = typed(form)
    const showAgain = (problems: ReadonlyArray<FieldProblem>) =>
      page(visitor, app, purpose, { form: Form.shown(form, problems), ticked: posted.purpose_scopes })
    const draft = Form.decode(Edit, posted)
    if (Either.isLeft(draft)) return yield* showAgain(draft.left)
    const options = yield* HttpOptions
    const terms = toTerms(draft.right)
    const shown = Number(form.value("revision"))
    return yield* updatePurpose(visitor.account, app.id, purpose.id, terms, options.addressRule, shown).pipe(
      Effect.map(({ status }) => {
        const wentIn = status === "in_review" && purpose.status === "approved"
        return seeOther(`${pathOf(app, purpose)}?done=${wentIn ? "purpose-edited" : "purpose-changed"}`)
      }),
      Effect.catchTags({
        Invalid: ({ problems }) => showAgain(undeclared(problems)),
        Conflict: (error) =>
          Form.isOutdated(error)
            ? Effect.flatMap(ownPurpose(visitor), (now) =>
                page(visitor, now.app, now.purpose, { ...Outdated.ofPurpose(form, terms, now.purpose), status: 409 })
              )
            : Effect.fail(error),
        Forbidden: confirmFirst
      })
    )
  }).pipe(
    Visitor.showingAgain(visitor, (form, posted) =>
      Effect.flatMap(ownPurpose(visitor), ({ app, purpose }) =>
        page(visitor, app, purpose, { form, ticked: posted.all("purpose_scopes") })
      )
    )
  )
)

const submit = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const { app, purpose } = yield* ownPurpose(visitor)
    const [rule, shown] = [(yield* HttpOptions).addressRule, Number(form.value("revision"))]
    return yield* submitPurpose(visitor.account, app.id, purpose.id, rule, shown).pipe(
      Effect.as(seeOther(`${pathOf(app, purpose)}?done=purpose-submitted`)),
      Effect.catchTags({
        Conflict: (error) =>
          Form.isOutdated(error)
            ? Effect.flatMap(ownPurpose(visitor), (now) => {
                const form = { ...fresh(now.purpose), problems: [Fields.OUTDATED_ANEW] }
                return page(visitor, now.app, now.purpose, { form, ticked: now.purpose.terms.scopes, status: 409 })
              })
            : // The state of the purpose has changed: for example, the person pressed the button twice, or another member
              // of the team was faster. The page shows the present state.
              Effect.succeed(seeOther(pathOf(app, purpose))),
        Forbidden: confirmFirst
      })
    )
  })
)

const archive = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    yield* Visitor.checked(visitor.cookie)
    const { app, purpose } = yield* ownPurpose(visitor)
    yield* archivePurpose(visitor.account, app.id, purpose.id)
    return seeOther(`${pathOf(app, purpose)}?done=purpose-archived`)
  })
)

const PURPOSE = `${DEVELOPER}/apps/:app/purposes/:purpose`

export const routes = [
  Routes.get(PURPOSE, show),
  Routes.post(PURPOSE, edit),
  Routes.post(`${PURPOSE}/submit`, submit),
  Routes.post(`${PURPOSE}/archive`, archive)
]
