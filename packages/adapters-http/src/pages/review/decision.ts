import type { HttpServerResponse } from "@effect/platform"
import { type App, decideApp, mayDecideAbout } from "@place-access/domain/apps"
import { decidePurpose, type Purpose } from "@place-access/domain/purposes"
import { inspectApp, listDecisions } from "@place-access/domain/staff"
import { Submission, Verdict } from "@place-access/domain/reviews"
import { NotFound, PurposeId } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import type { WireError } from "../../wire/Errors.js"
import type { FieldProblem } from "../../wire/Issues.js"
import type { Shared } from "../../wire/toWire.js"
import { pendingChange } from "../developer/appChange.js"
import { paragraphs, purposeBadge, statusBadge } from "../developer/shared.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond, seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Routes from "../kit/Routes.js"
import { ofDomain, time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"
import {
  aboutApp,
  adminPath,
  appId,
  asReviewer,
  developerName,
  fromCursor,
  history,
  isAdmin,
  pager,
  REVIEW,
  reviewPath
} from "./shared.js"
import * as Hints from "./hints.js"
import * as Preview from "./preview.js"
import { wording } from "./wording.js"

const words = texts.review.decision

const LABELS = { note: words.note, decision: words.yours }

/** The decision form that was rejected and is shown again. */
interface RejectedForm {
  readonly form: Fields.Shown
  /**
   * Why the decision was not recorded although the form is valid: somebody else decided, or changed or archived the
   * subject, so what the reviewer read is outdated.
   */
  readonly conflict: string | null
}

const againAlert = (again: RejectedForm | undefined): Html | false =>
  again !== undefined &&
  html`${Fields.problems(again.form, LABELS)}
  ${
    again.conflict !== null &&
    html`<div class="problems" role="alert">
      <h2>${words.notRecorded}</h2>
      <p>${again.conflict === Submission.CHANGED ? words.changed : words.meanwhile(ofDomain(again.conflict))}</p>
    </div>`
  }`

const statusOf = (again: RejectedForm | undefined): number =>
  again === undefined ? 200 : again.conflict === null ? 400 : 409

/**
 * The form of a decision about the app or one of its purposes, posted to `action`. The form has the revision that the
 * page shows, so that nobody decides on a later change without having read it. Somebody whose decision would be refused
 * reads who decides (decision reviews-1).
 */
const decisionPart = (visitor: Visitor.Visitor, app: App.App, { action, again, approving, revision }: DecisionForm) =>
  Effect.gen(function* () {
    if (yield* mayDecideAbout(visitor.account, app, "reviews")) {
      return decisionForm(action, revision, yield* Visitor.tokenFor(visitor), again, approving)
    }
    return html`<section class="card" aria-labelledby="decide">
      <h2 id="decide">${words.heading}</h2>
      <p>${words.own}</p>
    </section>`
  })

interface DecisionForm {
  readonly action: string
  readonly revision: number
  readonly again: RejectedForm | undefined
  /** What an approval does. */
  readonly approving: Html
}

const decisionForm = (
  action: string,
  revision: number,
  token: string,
  again: RejectedForm | undefined,
  approving: Html
): Html =>
  html`<section class="card" aria-labelledby="decide">
    <h2 id="decide">${words.heading}</h2>
    <p>${approving} ${words.mailed}</p>
    <form method="post" action="${action}">
      ${Fields.hidden("form_token", token)}${Fields.hidden("revision", String(revision))}
      ${Fields.textarea(again?.form ?? Fields.fresh(), {
        name: "note",
        label: LABELS.note,
        hint: words.noteHint,
        required: false,
        maxlength: 1000
      })}
      <div class="actions">
        <button name="decision" value="approve">${words.approve}</button
        ><button class="danger" name="decision" value="reject">${words.reject}</button>
      </div>
    </form>
  </section>`

const appPage = (visitor: Visitor.Visitor, again?: RejectedForm) =>
  Effect.gen(function* () {
    const id = yield* appId
    const inspected = yield* inspectApp(visitor.account, id)
    const { app, purposes } = inspected
    const query = yield* Form.query
    const { decisions, nextCursor } = yield* fromCursor(query, (page) => listDecisions(visitor.account, id, page))
    const path = reviewPath(app)
    return yield* respond({
      title: texts.review.titleOf(app.name),
      reader: yield* Visitor.reader(visitor),
      current: REVIEW,
      status: statusOf(again),
      main: html`<p><a href="${REVIEW}">${texts.review.title}</a></p>
        <h1>${app.name}</h1>
        <p class="lead">
          ${statusBadge(app)} ${app.submission !== null && words.waitsSince(time(app.submission.at))}
          ${isAdmin(visitor) && html`<a href="${adminPath(app)}">${words.administer}</a>`}
        </p>
        ${againAlert(again)}
        ${
          app.proposal !== null &&
          html`<section class="card" aria-labelledby="change">
            <h2 id="change">${words.changes}</h2>
            <p>${words.changesText}</p>
            ${pendingChange(app)}
          </section>`
        }
        ${Hints.section(app, purposes)} ${Preview.links(app)} ${aboutApp(inspected)}
        <section class="card" aria-labelledby="purposes">
          <h2 id="purposes">${words.purposes}</h2>
          ${
            purposes.length === 0
              ? html`<p class="soft">${words.noPurposes}</p>`
              : html`<ul class="plain choices">
                  ${purposes.map(
                    (purpose) =>
                      html`<li class="item">
                        <h3>
                          <a href="${path}/purposes/${purpose.id}"><code>${purpose.key}</code></a>
                          ${purposeBadge(purpose)}
                        </h3>
                        <p>${purpose.terms.description}</p>
                      </li>`
                  )}
                </ul>`
          }
        </section>
        ${
          app.submission !== null &&
          (yield* decisionPart(visitor, app, {
            action: `${path}/decision`,
            revision: app.revision,
            again,
            approving: app.proposal === null ? words.firstApp : words.changedApp
          }))
        }
        ${history(decisions, pager(path, query, nextCursor))}`
    })
  })

const purposeOf = (visitor: Visitor.Visitor) =>
  Effect.gen(function* () {
    const purposeId = yield* param("purpose", PurposeId, "purpose")
    const inspected = yield* inspectApp(visitor.account, yield* appId)
    const purpose = inspected.purposes.find(({ id }) => id === purposeId)
    return purpose === undefined ? yield* new NotFound({ what: "purpose" }) : { ...inspected, purpose }
  })

const purposePage = (visitor: Visitor.Visitor, again?: RejectedForm) =>
  Effect.gen(function* () {
    const { app, developer, purpose } = yield* purposeOf(visitor)
    const query = yield* Form.query
    const { decisions, nextCursor } = yield* fromCursor(query, (page) => listDecisions(visitor.account, app.id, page))
    const path = `${reviewPath(app)}/purposes/${purpose.id}`
    const isWaiting = purpose.submission !== null && app.revokedAt === null
    return yield* respond({
      title: texts.review.titleOfPurpose(purpose.key, app.name),
      reader: yield* Visitor.reader(visitor),
      current: REVIEW,
      status: statusOf(again),
      main: html`<p><a href="${REVIEW}">${texts.review.title}</a> · <a href="${reviewPath(app)}">${app.name}</a></p>
        <h1>${words.purpose(html`<code>${purpose.key}</code>`)}</h1>
        <p class="lead">
          ${purposeBadge(purpose)}
          ${words.ofApp[app.revokedAt === null ? app.status : "revoked"](app.name, developerName({ developer }))}
          ${purpose.submission !== null && words.waitsSince(time(purpose.submission.at))}
        </p>
        ${againAlert(again)}
        <section class="card" aria-labelledby="wording">
          <h2 id="wording">${words.wording}</h2>
          ${explain(purpose)} ${wording(purpose)}
        </section>
        ${
          purpose.reviewNote !== null &&
          html`<div class="note">
            <h2>${words.lastNote}</h2>
            ${paragraphs(purpose.reviewNote)}
          </div>`
        }
        ${
          isWaiting &&
          (yield* decisionPart(visitor, app, {
            action: `${path}/decision`,
            revision: purpose.revision,
            again,
            approving: purpose.approved === null ? words.firstPurpose : words.changedPurpose
          }))
        }
        ${history(decisions, pager(path, query, nextCursor))}`
    })
  })

const explain = (purpose: Purpose.Purpose): Html | false =>
  purpose.status === "archived"
    ? html`<p>${words.archived(time(purpose.archivedAt))}</p>`
    : purpose.approved !== null && purpose.status !== "approved" && html`<p>${words.staysInForce}</p>`

const Posted = Schema.Struct({
  decision: Verdict.ReviewerDecision,
  note: Form.OrEmpty(Verdict.Note),
  revision: Schema.NumberFromString.pipe(Schema.int())
})

type Fault = Shared | WireError

/** Records a posted decision. If that is not possible, the page shows the form again with the reason. */
const decided = <R, R2>(
  visitor: Visitor.Visitor,
  decide: (verdict: Verdict.Verdict) => Effect.Effect<unknown, Fault, R>,
  page: (again: RejectedForm) => Effect.Effect<HttpServerResponse.HttpServerResponse, Fault, R2>
) =>
  Effect.gen(function* () {
    const form = yield* Visitor.checked(visitor.cookie)
    const again = (problems: ReadonlyArray<FieldProblem>, conflict: string | null = null) =>
      page({ form: Form.shown(form, problems), conflict })
    const posted = Form.decode(Posted, {
      decision: form.value("decision"),
      note: form.value("note").trim(),
      revision: form.value("revision")
    })
    if (Either.isLeft(posted)) return yield* again(posted.left)
    return yield* decide(posted.right).pipe(
      Effect.as(seeOther(`${REVIEW}?done=review-${posted.right.decision}`)),
      Effect.catchAll((error) => {
        if (!("_tag" in error)) return Effect.fail(error)
        switch (error._tag) {
          case "Invalid":
            return again(error.problems)
          case "Conflict":
            return again([], error.reason)
          default:
            return Effect.fail(error)
        }
      })
    )
  })

const decideTheApp = asReviewer((visitor) =>
  decided(
    visitor,
    (verdict) => Effect.flatMap(appId, (id) => decideApp(visitor.account, id, verdict)),
    (again) => appPage(visitor, again)
  )
)

const decideThePurpose = asReviewer((visitor) =>
  decided(
    visitor,
    (verdict) =>
      Effect.flatMap(purposeOf(visitor), ({ purpose }) => decidePurpose(visitor.account, purpose.id, verdict)),
    (again) => purposePage(visitor, again)
  )
)

export const routes = [
  Routes.get(
    `${REVIEW}/apps/:app`,
    asReviewer((visitor) => appPage(visitor))
  ),
  Routes.post(`${REVIEW}/apps/:app/decision`, decideTheApp),
  Routes.get(
    `${REVIEW}/apps/:app/purposes/:purpose`,
    asReviewer((visitor) => purposePage(visitor))
  ),
  Routes.post(`${REVIEW}/apps/:app/purposes/:purpose/decision`, decideThePurpose)
]
