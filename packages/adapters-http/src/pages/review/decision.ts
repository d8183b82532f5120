import type { HttpServerResponse } from "@effect/platform"
import { type App, decideApp, mayDecideAbout } from "@place-access/domain/apps"
import { decidePurpose, type Purpose } from "@place-access/domain/purposes"
import { inspectApp, listDecisions } from "@place-access/domain/staff"
import { ReviewDecision, Submission, Verdict } from "@place-access/domain/reviews"
import { NotFound, PurposeId, Timestamp } from "@place-access/domain/shared"
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

/** The form of a decision that the service refused. The page shows this form again. */
interface RejectedForm {
  readonly form: Fields.Shown
  readonly status: 400 | 403 | 409
  /** The reason why the decision was not recorded. Null when the problems of the form's fields are the reason. */
  readonly reason: Html | null
}

/**
 * The reason for a conflict. The page that the reviewer read is outdated: for example, another person has decided, has
 * changed, withdrawn or archived the subject, or has revoked the app.
 */
const outdated = (conflict: string): Html =>
  conflict === Submission.CHANGED ? words.changed : words.meanwhile(ofDomain(conflict))

const rejectionAlert = (rejected: RejectedForm | undefined): Html | false =>
  rejected !== undefined &&
  html`${Fields.problems(rejected.form, LABELS)}
  ${
    rejected.reason !== null &&
    Fields.problemBox(
      html`<h2>${words.notRecorded}</h2>
        <p>${rejected.reason}</p>`
    )
  }`

/**
 * The form of a decision about the app or one of its purposes, which is posted to `action`. A hidden field has the
 * revision that the page shows. So nobody approves a later change without having read it. A visitor whose decision the
 * service would refuse sees a text that says who decides (decision reviews-1), and no form.
 */
const decisionPart = (
  visitor: Visitor.Visitor,
  app: App.App,
  { action, rejected, approving, revision }: DecisionForm
) =>
  Effect.gen(function* () {
    if (yield* mayDecideAbout(visitor.account, app, "reviews")) {
      return decisionForm(action, revision, yield* Visitor.tokenFields(visitor), rejected, approving)
    }
    return html`<section class="card" aria-labelledby="decide">
        <h2 id="decide">${words.heading}</h2>
        <p>${words.own}</p>
      </section>
      ${noteToCopy(rejected)}`
  })

/**
 * The note that the reviewer typed, for a page that no longer has the form. The reviewer can copy the note from there.
 */
const noteToCopy = (rejected: RejectedForm | undefined): Html | false => {
  const note = rejected?.form.values("note").trim() ?? ""
  return (
    note !== "" &&
    html`<section class="card" aria-labelledby="typed">
      <h2 id="typed">${words.note}</h2>
      ${paragraphs(note)}
    </section>`
  )
}

interface DecisionForm {
  readonly action: string
  readonly revision: number
  readonly rejected: RejectedForm | undefined
  /** A text that says what an approval does. */
  readonly approving: Html
}

const decisionForm = (
  action: string,
  revision: number,
  tokens: Html,
  rejected: RejectedForm | undefined,
  approving: Html
): Html =>
  html`<section class="card" aria-labelledby="decide">
    <h2 id="decide">${words.heading}</h2>
    <p>${approving} ${words.mailed}</p>
    <form method="post" action="${action}">
      ${tokens}${Fields.hidden("revision", String(revision))}
      ${Fields.textarea(rejected?.form ?? Fields.fresh(), {
        name: "note",
        label: LABELS.note,
        hint: words.noteHint,
        required: false,
        maxlength: 1000
      })}
      <div class="actions" id="decision">
        <button name="decision" value="approve">${words.approve}</button
        ><button class="danger" name="decision" value="reject">${words.reject}</button>
      </div>
    </form>
  </section>`

const appPage = (visitor: Visitor.Visitor, rejected?: RejectedForm) =>
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
      status: rejected?.status ?? 200,
      main: html`<p><a href="${REVIEW}">${texts.review.title}</a></p>
        <h1>${app.name}</h1>
        <p class="lead">
          ${statusBadge(app)} ${app.submission !== null && words.waitsSince(time(app.submission.at))}
          ${isAdmin(visitor) && html`<a href="${adminPath(app)}">${words.administer}</a>`}
        </p>
        ${rejectionAlert(rejected)}
        ${
          app.proposal !== null &&
          html`<section class="card" aria-labelledby="change">
            <h2 id="change">${words.changes}</h2>
            <p>${words.changesText}</p>
            ${pendingChange(app)}
          </section>`
        }
        ${
          // Nobody can approve a revoked app or connect it, so hints for a decision and the consent page would mislead.
          app.revokedAt === null && html`${Hints.section(app, purposes)} ${Preview.links(app)}`
        }
        ${aboutApp(inspected)}
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
                          ${purposeBadge(purpose, app)}
                        </h3>
                        <p>${purpose.terms.description}</p>
                      </li>`
                  )}
                </ul>`
          }
        </section>
        ${
          app.submission === null
            ? noteToCopy(rejected)
            : yield* decisionPart(visitor, app, {
                action: `${path}/decision`,
                revision: app.revision,
                rejected,
                approving: app.proposal === null ? words.firstApp : words.changedApp
              })
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

const purposePage = (visitor: Visitor.Visitor, rejected?: RejectedForm) =>
  Effect.gen(function* () {
    const { app, developer, purpose } = yield* purposeOf(visitor)
    const query = yield* Form.query
    const { decisions, nextCursor } = yield* fromCursor(query, (page) => listDecisions(visitor.account, app.id, page))
    const path = `${reviewPath(app)}/purposes/${purpose.id}`
    // When an admin revokes the app, the submission of a purpose stays stored, but nobody can decide about it any more.
    const isWaiting = app.revokedAt === null && purpose.submission !== null
    return yield* respond({
      title: texts.review.titleOfPurpose(purpose.key, app.name),
      reader: yield* Visitor.reader(visitor),
      current: REVIEW,
      status: rejected?.status ?? 200,
      main: html`<p><a href="${REVIEW}">${texts.review.title}</a> · <a href="${reviewPath(app)}">${app.name}</a></p>
        <h1>${words.purpose(html`<code>${purpose.key}</code>`)}</h1>
        <p class="lead">
          ${purposeBadge(purpose, app)}
          ${words.ofApp[app.revokedAt === null ? app.status : "revoked"](app.name, developerName({ developer }))}
          ${isWaiting && words.waitsSince(time(purpose.submission.at))}
        </p>
        ${rejectionAlert(rejected)}
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
          isWaiting
            ? yield* decisionPart(visitor, app, {
                action: `${path}/decision`,
                revision: purpose.revision,
                rejected,
                approving: purpose.approved === null ? words.firstPurpose : words.changedPurpose
              })
            : noteToCopy(rejected)
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

/**
 * Records a posted decision. If the service refuses the decision, the page is shown again with the reason, and with the
 * form if the reviewer can still decide. The same happens when the form's token is no longer valid: for example,
 * somebody has signed in again in another tab while the reviewer wrote the note. A reviewer who presses the button
 * twice gets the first answer again (`ReviewDecision.isRepeated`).
 */
const decided = <R, R2, R3>(
  visitor: Visitor.Visitor,
  decide: (verdict: Verdict.Verdict) => Effect.Effect<unknown, Fault, R>,
  subject: Effect.Effect<string, Fault, R3>,
  page: (rejected: RejectedForm) => Effect.Effect<HttpServerResponse.HttpServerResponse, Fault, R2>
) =>
  Effect.gen(function* () {
    const form = yield* Form.read
    const refused = (status: RejectedForm["status"], reason: Html) =>
      page({ form: Form.shown(form, []), status, reason })
    const showAgain = (problems: ReadonlyArray<FieldProblem>) =>
      page({ form: Form.shown(form, problems), status: 400, reason: null })
    const isCurrent = yield* Effect.as(Visitor.checked(visitor.cookie), true).pipe(
      Effect.catchIf(
        (error) => error === Visitor.stale,
        (error) =>
          Effect.flatMap(Visitor.isFromOwnPage(visitor, form), (isOwn) =>
            isOwn ? Effect.succeed(false) : Effect.fail(error)
          )
      )
    )
    if (!isCurrent) return yield* refused(403, words.expired)
    const posted = Form.decode(Posted, {
      decision: form.value("decision"),
      note: form.value("note").trim(),
      revision: form.value("revision")
    })
    if (Either.isLeft(posted)) return yield* showAgain(posted.left)
    const verdict = posted.right
    const done = seeOther(`${REVIEW}?done=review-${verdict.decision}`)
    return yield* decide(verdict).pipe(
      Effect.as(done),
      Effect.catchAll((error) => {
        if (!("_tag" in error)) return Effect.fail(error)
        switch (error._tag) {
          case "Invalid":
            return showAgain(error.problems)
          case "Conflict":
            return Effect.flatMap(isRecorded(visitor, subject, verdict, error.reason), (isPressedTwice) =>
              isPressedTwice ? Effect.succeed(done) : refused(409, outdated(error.reason))
            )
          case "Forbidden":
            return refused(403, words.own)
          default:
            return Effect.fail(error)
        }
      })
    )
  })

const isRecorded = <R>(
  visitor: Visitor.Visitor,
  subject: Effect.Effect<string, Fault, R>,
  verdict: Verdict.Verdict,
  conflict: string
) =>
  Effect.gen(function* () {
    // The reviewer has not read the present version, so this request cannot be a repetition of the reviewer's own
    // decision.
    if (conflict === Submission.CHANGED) return false
    const id = yield* subject
    const app = yield* appId
    const { decisions } = yield* fromCursor(yield* Form.query, (page) => listDecisions(visitor.account, app, page))
    const newest = decisions.find((one) => one.subject.id === id)
    const now = yield* Timestamp.now
    return newest !== undefined && ReviewDecision.isRepeated(newest, visitor.account.id, verdict, now)
  })

const decideTheApp = asReviewer((visitor) =>
  decided(
    visitor,
    (verdict) => Effect.flatMap(appId, (id) => decideApp(visitor.account, id, verdict)),
    appId,
    (rejected) => appPage(visitor, rejected)
  )
)

const decideThePurpose = asReviewer((visitor) =>
  decided(
    visitor,
    (verdict) =>
      Effect.flatMap(purposeOf(visitor), ({ purpose }) => decidePurpose(visitor.account, purpose.id, verdict)),
    Effect.map(purposeOf(visitor), ({ purpose }) => purpose.id),
    (rejected) => purposePage(visitor, rejected)
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
