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
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { flag, type Html, html } from "../kit/Html.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import { notice } from "../portal/notices.js"
import { wording } from "../review/wording.js"
import { appHead, appPath, DEVELOPER, noteOf, ownApp, purposeBadge, scopeBoxes } from "./shared.js"

export const LABELS = {
  key: "Key",
  purpose_description: "Description",
  purpose_scopes: "Scopes",
  expected_daily_volume: "Expected daily volume"
}

const terms = {
  purpose_description: Purpose.PurposeTerms.fields.description,
  purpose_scopes: Purpose.PurposeTerms.fields.scopes,
  expected_daily_volume: Form.Number(Purpose.PurposeTerms.fields.expectedDailyVolume)
}
const Edit = Schema.Struct(terms)
export const Draft = Schema.Struct({ key: Purpose.PurposeKey, ...terms })

export const typed = (form: Form.Form) => ({
  key: form.value("key").trim(),
  purpose_description: form.value("purpose_description"),
  purpose_scopes: form.all("purpose_scopes"),
  expected_daily_volume: form.value("expected_daily_volume")
})

export const toTerms = (draft: typeof Edit.Type): Purpose.PurposeTerms => ({
  description: draft.purpose_description,
  scopes: draft.purpose_scopes,
  expectedDailyVolume: draft.expected_daily_volume
})

/** The problems after decoding. The only problem left is a scope that the app does not declare. */
export const undeclared = (problems: ReadonlyArray<FieldProblem>): ReadonlyArray<FieldProblem> =>
  problems.map(({ message }) => ({ field: "purpose_scopes", message }))

const fields = (
  app: App.App,
  form: Fields.Shown,
  ticked: ReadonlyArray<string>,
  held: ReadonlyArray<Scope.Scope> = []
): Html =>
  html` ${Fields.input(form, { name: "purpose_description", label: LABELS.purpose_description, hint: "10 to 200 characters, shown to users as you write it.", maxlength: 200 })}
  ${scopeBoxes(
    form,
    "purpose_scopes",
    Scope.intersect(Scope.sensitive, [...DeclaredScopes.available(app), ...held]),
    ticked
  )}
  ${Fields.input(form, { name: "expected_daily_volume", label: LABELS.expected_daily_volume, hint: "The most calls that one user should need in a day, 1 to 10,000.", inputmode: "numeric" })}`

const pathOf = (app: Pick<App.App, "id">, purpose: Pick<Purpose.Purpose, "id">): string =>
  `${appPath(app)}/purposes/${purpose.id}`

const canSubmit = (app: App.App, { status }: Purpose.Purpose): boolean =>
  app.revokedAt === null && (status === "draft" || status === "rejected")

const submitForm = (app: App.App, purpose: Purpose.Purpose, token: string): Html | false =>
  canSubmit(app, purpose) &&
  html`<form method="post" action="${pathOf(app, purpose)}/submit">
    ${Fields.hidden("form_token", token)}<button class="second" aria-label="Submit for review: ${purpose.key}">
      Submit for review
    </button>
  </form>`

/** The app's purposes and the form for a new one, on the overview page of the app. */
export const section = (
  app: App.App,
  purposes: ReadonlyArray<Purpose.Purpose>,
  token: string,
  form: Fields.Shown,
  ticked: ReadonlyArray<string>
): Html =>
  html`<section class="card" aria-labelledby="purposes">
    <h2 id="purposes">Purposes</h2>
    <p>
      Each call for an exact location names the purpose it is for. Users read its description when they decide. In
      production only approved purposes work.
    </p>
    ${
      purposes.length > 0 &&
      html`<ul class="plain choices">
        ${purposes.map((purpose) => item(app, purpose, token))}
      </ul>`
    }
    ${
      Scope.intersect(Scope.sensitive, DeclaredScopes.available(app)).length === 0
        ? html`<p class="soft">Your app declares no sensitive scope, so it needs no purpose.</p>`
        : html`<details${flag("open", form.problems.length > 0)}><summary>Add a purpose</summary><form method="post" action="${appPath(app)}/purposes">${Fields.hidden("form_token", token)}
${Fields.input(form, { name: "key", label: LABELS.key, hint: "What your code sends: 3 to 40 characters of a-z, 0-9 and _. It stays taken for good.", maxlength: 40 })}
${fields(app, form, ticked)}
<button>Add purpose</button></form></details>`
    }
  </section>`

const item = (app: App.App, purpose: Purpose.Purpose, token: string): Html => {
  const { key, reviewNote, status, terms } = purpose
  const isArchived = status === "archived"
  return html`<li class="item">
    <h3><code>${key}</code> ${purposeBadge(purpose)}</h3>
    <p>${terms.description}</p>
    <p class="soft small">${terms.scopes.join(", ")}; up to ${terms.expectedDailyVolume} calls a day and user</p>
    ${!isArchived && noteOf(reviewNote, status === "rejected")}
    <div class="actions">
      <a class="button second" href="${pathOf(app, purpose)}" aria-label="${isArchived ? "Look at" : "Change"} ${key}"
        >${isArchived ? "Look at" : "Change"}</a
      >${submitForm(app, purpose, token)}
    </div>
  </li>`
}

/** The app's own purpose that the address names. */
const ownPurpose = (visitor: Visitor.Visitor) =>
  Effect.gen(function* () {
    const app = yield* ownApp(visitor)
    const id = yield* param("purpose", PurposeId, "purpose")
    const purpose = (yield* listPurposes(visitor.account, app.id)).find((one) => one.id === id)
    return purpose === undefined ? yield* new NotFound({ what: "purpose" }) : { app, purpose }
  })

const page = (
  visitor: Visitor.Visitor,
  app: App.App,
  purpose: Purpose.Purpose,
  again?: { readonly form: Fields.Shown; readonly ticked: ReadonlyArray<string> }
) =>
  Effect.gen(function* () {
    const query = yield* Form.query
    const token = yield* Visitor.tokenFor(visitor)
    const { key, reviewNote, status, submission, terms } = purpose
    const form =
      again?.form ??
      Fields.fresh({
        purpose_description: terms.description,
        expected_daily_volume: String(terms.expectedDailyVolume)
      })
    return respond({
      title: `${app.name}: purpose ${key}`,
      reader: yield* Visitor.reader(visitor),
      current: DEVELOPER,
      status: again === undefined ? 200 : 400,
      main: html`${appHead(app, "")}
        ${again === undefined ? notice(query.value("done")) : Fields.problems(again.form, LABELS)}
        <section class="card" aria-labelledby="state">
          <h2 id="state">Purpose <code>${key}</code> ${purposeBadge(purpose)}</h2>
          <p>
            ${state(app, purpose)}
            ${app.revokedAt === null && submission !== null && html`It waits since ${time(submission.at)}.`}
          </p>
          ${noteOf(reviewNote, status === "rejected")} ${wording(purpose)}
          ${canSubmit(app, purpose) && html`<div class="actions">${submitForm(app, purpose, token)}</div>`}
        </section>
        ${status !== "archived" && html`${change(app, purpose, token, form, again?.ticked ?? terms.scopes)} ${archival(app, purpose, token)}`}`
    })
  })

/** The state of the purpose and the next step. */
const state = (app: App.App, purpose: Purpose.Purpose): Html | string => {
  if (purpose.status === "archived") {
    return html`Archived ${time(purpose.archivedAt)}: we refuse calls that name it, and its key stays taken.`
  }
  if (app.revokedAt !== null) return "The app is revoked, so the purpose cannot be used or changed."
  const { approved, status } = purpose
  if (status === "approved") return "Approved: users read it in exactly these words."
  const before =
    approved !== null
      ? "The approved wording stays in force until a new one is approved."
      : app.status === "production"
        ? "Your app cannot use it before it is approved."
        : "Your app can use it while the app is not in production."
  return `${NEXT[status]} ${before}`
}

const NEXT: Readonly<Record<Exclude<Purpose.LiveStatus, "approved">, string>> = {
  draft: "A draft, which nobody reviews until you submit it.",
  in_review: "A reviewer reads it. You get an e-mail with the decision.",
  rejected: "Not approved. Change it, or submit it again as it is."
}

const change = (
  app: App.App,
  purpose: Purpose.Live,
  token: string,
  form: Fields.Shown,
  ticked: ReadonlyArray<string>
): Html =>
  html`<section class="card" aria-labelledby="change">
    <h2 id="change">Change it</h2>
    <p>${EDIT[purpose.status]} The key stays.</p>
    <form method="post" action="${pathOf(app, purpose)}">
      ${Fields.hidden("form_token", token)} ${fields(app, form, ticked, purpose.terms.scopes)}<button>Save</button>
    </form>
  </section>`

const EDIT: Readonly<Record<Purpose.LiveStatus, string>> = {
  draft: "It stays a draft until you submit it.",
  in_review: "The reviewer then reads the new wording. The purpose keeps its place in the queue.",
  approved: "The new wording goes into review at once. Until it is approved, the present wording stays in force.",
  rejected: "The purpose is then a draft again, which you can submit."
}

const archival = (app: App.App, purpose: Purpose.Purpose, token: string): Html =>
  html`<section class="card" aria-labelledby="archive">
    <h2 id="archive">Archive the purpose</h2>
    <details>
      <summary>Archive <code>${purpose.key}</code> for good</summary>
      <div>
        <p>
          This cannot be taken back. From then on we refuse calls that name it, and the key stays taken. Scopes that no
          other purpose covers cannot be asked for any more.
        </p>
        <form method="post" action="${pathOf(app, purpose)}/archive">
          ${Fields.hidden("form_token", token)}<button class="danger">Archive purpose</button>
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
    const again = (problems: ReadonlyArray<FieldProblem>) =>
      page(visitor, app, purpose, { form: Form.shown(form, problems), ticked: posted.purpose_scopes })
    const draft = Form.decode(Edit, posted)
    if (Either.isLeft(draft)) return yield* again(draft.left)
    return yield* updatePurpose(visitor.account, app.id, purpose.id, toTerms(draft.right)).pipe(
      Effect.map(({ status }) => {
        const wentIn = status === "in_review" && purpose.status === "approved"
        return seeOther(`${pathOf(app, purpose)}?done=${wentIn ? "purpose-edited" : "purpose-changed"}`)
      }),
      Effect.catchTag("Invalid", ({ problems }) => again(undeclared(problems)))
    )
  })
)

const submit = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    yield* Visitor.checked(visitor.cookie)
    const { app, purpose } = yield* ownPurpose(visitor)
    return yield* submitPurpose(visitor.account, app.id, purpose.id).pipe(
      Effect.as(seeOther(`${pathOf(app, purpose)}?done=purpose-submitted`)),
      // The button was pressed twice, or somebody else was faster: the page shows the present state.
      Effect.catchTag("Conflict", () => Effect.succeed(seeOther(pathOf(app, purpose))))
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
